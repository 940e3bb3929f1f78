package io.ensemble.objects.sync;

/** An object whose creator said how large it is. */
interface DeclaredSize {

  /** What its creator said. */
  int declared();
}
