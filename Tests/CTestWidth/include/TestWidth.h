// This header declares nothing: the constructor in TestWidth.c runs when the test bundle is loaded.
