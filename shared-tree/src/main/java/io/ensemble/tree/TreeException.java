package io.ensemble.tree;

import org.jspecify.annotations.Nullable;

/** An operation on a tree failed. The kind says whether it was applied. */
public abstract sealed class TreeException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private TreeException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /** The transaction was certainly not applied, and will not be. Retrying is safe. */
  public static final class NotApplied extends TreeException {
    private static final long serialVersionUID = 1L;

    public NotApplied(String why, @Nullable Throwable cause) {
      super("not applied: " + why, cause);
    }
  }

  /**
   * Transactions of others changed what this one had read, in each of its attempts. It was not
   * applied. Retrying is safe.
   */
  public static final class Conflicts extends TreeException {
    private static final long serialVersionUID = 1L;

    public Conflicts(int attempts, TreePath last) {
      super(
          "not applied: %d attempts conflicted with changes of others; last at %s"
              .formatted(attempts, last),
          null);
    }
  }

  /** The transaction may have been applied, or may be applied later. Only a read can tell. */
  public static final class Unknown extends TreeException {
    private static final long serialVersionUID = 1L;

    public Unknown(String why, @Nullable Throwable cause) {
      super("the outcome of the transaction is unknown: " + why, cause);
    }
  }

  /** The user may not do this with the node. Nothing was applied. */
  public static final class AccessDenied extends TreeException {
    private static final long serialVersionUID = 1L;

    public AccessDenied(TreePath path, String user, String needed) {
      super("%s needs %s access; path=%s".formatted(user, needed, path), null);
    }
  }

  /** The transaction would exceed a quota or a limit of the tree. Nothing was applied. */
  public static final class LimitExceeded extends TreeException {
    private static final long serialVersionUID = 1L;

    public LimitExceeded(String what) {
      super("not applied: " + what, null);
    }
  }

  /** There is no node at the path. Nothing was applied. */
  public static final class NoSuchNode extends TreeException {
    private static final long serialVersionUID = 1L;

    public NoSuchNode(TreePath path) {
      super("no such node; path=" + path, null);
    }
  }

  /** There is a node at the path already. Nothing was applied. */
  public static final class NodeExists extends TreeException {
    private static final long serialVersionUID = 1L;

    public NodeExists(TreePath path) {
      super("the node exists; path=" + path, null);
    }
  }

  /** There is no tree of that name. */
  public static final class NoSuchTree extends TreeException {
    private static final long serialVersionUID = 1L;

    public NoSuchTree(String name) {
      super("no such tree; tree=" + name, null);
    }
  }

  /** An entry of the tree is missing or damaged. Nothing was applied. */
  public static final class Damaged extends TreeException {
    private static final long serialVersionUID = 1L;

    public Damaged(String what, @Nullable Throwable cause) {
      super("the tree cannot be read: " + what, cause);
    }
  }
}
