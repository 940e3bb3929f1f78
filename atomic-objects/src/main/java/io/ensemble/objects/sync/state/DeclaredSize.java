package io.ensemble.objects.sync.state;

/** An object whose creator said how large it is. */
public interface DeclaredSize {

  /** What its creator said. */
  int declared();
}
