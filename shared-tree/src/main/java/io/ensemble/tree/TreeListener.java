package io.ensemble.tree;

/** Is called for each event of a watch, one event at a time. */
@FunctionalInterface
public interface TreeListener {

  /** Called on a thread of the tree. It must not block for long: later events wait. */
  void changed(TreeEvent event);
}
