package io.ensemble.tree;

/** A watch, until it is closed. */
public interface TreeWatch extends AutoCloseable {

  /** The watched path. */
  TreePath path();

  /** The commit after which changes are reported. */
  long since();

  /** Ends the watch. An event that is being delivered may still arrive. */
  @Override
  void close();
}
