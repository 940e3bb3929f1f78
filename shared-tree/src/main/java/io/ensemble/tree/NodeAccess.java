package io.ensemble.tree;

/** What a user may do with a node. */
public enum NodeAccess {
  /** Neither of the two. */
  NONE(false, false),
  /** Read the value, the permissions and the names of the children. */
  READ(true, false),
  /** Change the value, create and remove children, remove the node. */
  WRITE(false, true),
  /** Both. */
  BOTH(true, true);

  private final boolean mayRead;
  private final boolean mayWrite;

  NodeAccess(boolean mayRead, boolean mayWrite) {
    this.mayRead = mayRead;
    this.mayWrite = mayWrite;
  }

  /** Whether it includes reading. */
  public boolean mayRead() {
    return mayRead;
  }

  /** Whether it includes writing. */
  public boolean mayWrite() {
    return mayWrite;
  }
}
