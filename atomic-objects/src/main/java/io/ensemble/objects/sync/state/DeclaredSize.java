package io.ensemble.objects.sync.state;

/** An object whose creator declared its size. */
public interface DeclaredSize {

  /** The declared size. */
  int declared();
}
