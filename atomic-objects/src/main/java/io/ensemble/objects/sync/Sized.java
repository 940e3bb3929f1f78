package io.ensemble.objects.sync;

/** An object whose creator said how large it is. */
interface Sized {

  /** What its creator said. */
  int declared();
}
