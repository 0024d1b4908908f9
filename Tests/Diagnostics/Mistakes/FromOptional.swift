import RxBluetooth

func fromOptional(name: String?) -> Observable<String> {
    // error: from(optional:
    Observable.from(name)
}
