package io.ensemble.tree.state;

import io.ensemble.tree.NodeAccess;
import io.ensemble.tree.NodePermissions;
import io.ensemble.tree.TreePath;

/** Records of owners beside the nodes: their usage, and quotas that differ from the default. */
public final class OwnerRecords {

  private static final NodePermissions NO_ACCESS = NodePermissions.of("-", NodeAccess.NONE);

  private OwnerRecords() {}

  static TreePath usagePath(String owner) {
    return TreePath.reserved("usage", owner);
  }

  /** The path of an owner's quota. */
  public static TreePath quotaPath(String owner) {
    return TreePath.reserved("quota", owner);
  }

  /** The usage that the pages hold. */
  public static OwnerUsage usage(TreeView pages, String owner) {
    NodeRecord record = pages.find(usagePath(owner));
    return record == null ? OwnerUsage.NONE : OwnerUsage.decoded(record.value());
  }

  static TreeChange usageChange(String owner, OwnerUsage total) {
    return new TreeChange.Create(usagePath(owner), total.encoded(), NO_ACCESS);
  }

  /** The change that gives an owner a quota of its own. */
  public static TreeChange quotaChange(String owner, OwnerUsage quota) {
    return new TreeChange.Create(quotaPath(owner), quota.encoded(), NO_ACCESS);
  }
}
