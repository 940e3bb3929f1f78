package io.ensemble.tree.state;

import io.ensemble.tree.NodePermissions;
import org.jspecify.annotations.Nullable;

/**
 * A change of the record under a path by one or several commits: a new record, or the same with
 * other parts. The numbers are those of commits; those of a part that does not change are 0.
 *
 * @param created the new record; all other parts are then unused
 */
public record NodePatch(
    @Nullable NodeRecord created,
    byte @Nullable [] value,
    long valueSet,
    @Nullable NodePermissions permissions,
    long permissionsSet,
    long childrenChanged) {

  /** No change. */
  static final NodePatch NONE = new NodePatch(null, null, 0, null, 0, 0);

  private static final int CREATED = 1;
  private static final int VALUE = 2;
  private static final int PERMISSIONS = 4;
  private static final int CHILDREN = 8;

  static NodePatch created(NodeRecord record) {
    return new NodePatch(record, null, 0, null, 0, 0);
  }

  static NodePatch value(byte[] value, long commit) {
    return new NodePatch(null, value, commit, null, 0, 0);
  }

  static NodePatch permissions(NodePermissions permissions, long commit) {
    return new NodePatch(null, null, 0, permissions, commit, 0);
  }

  static NodePatch childrenChanged(long commit) {
    return new NodePatch(null, null, 0, null, 0, commit);
  }

  /** The record after this patch; the one before it is not used if it creates one. */
  NodeRecord on(NodeRecord record) {
    if (created != null) {
      return created;
    }
    NodeRecord patched = record;
    if (value != null) {
      patched = patched.withValue(value, valueSet);
    }
    if (permissions != null) {
      patched = patched.withPermissions(permissions, permissionsSet);
    }
    return childrenChanged == 0 ? patched : patched.withChildrenChanged(childrenChanged);
  }

  /** An earlier patch and then this one, as one patch. */
  NodePatch after(NodePatch earlier) {
    if (created != null || earlier == NONE) {
      return this;
    }
    if (earlier.created != null) {
      return created(on(earlier.created));
    }
    return new NodePatch(
        null,
        value == null ? earlier.value : value,
        value == null ? earlier.valueSet : valueSet,
        permissions == null ? earlier.permissions : permissions,
        permissions == null ? earlier.permissionsSet : permissionsSet,
        Math.max(earlier.childrenChanged, childrenChanged));
  }

  /** The last commit that changed a part. */
  long lastChange() {
    return created != null
        ? created.lastChange()
        : Math.max(valueSet, Math.max(permissionsSet, childrenChanged));
  }

  /** The bytes of the value, and of the users whom the permissions name. */
  public int contentBytes() {
    if (created != null) {
      return created.contentBytes();
    }
    return (value == null ? 0 : value.length)
        + (permissions == null ? 0 : NodeRecord.namesBytes(permissions));
  }

  /** The number of users whom the permissions list. */
  public int listedUsers() {
    NodePermissions set = created == null ? permissions : created.permissions();
    return set == null ? 0 : set.listed().size();
  }

  void write(TreeOutput out) {
    if (created != null) {
      out.octet(CREATED);
      created.write(out);
      return;
    }
    out.octet(
        (value == null ? 0 : VALUE)
            + (permissions == null ? 0 : PERMISSIONS)
            + (childrenChanged == 0 ? 0 : CHILDREN));
    if (value != null) {
      out.block(value);
      out.number(valueSet);
    }
    if (permissions != null) {
      NodeRecord.write(out, permissions);
      out.number(permissionsSet);
    }
    if (childrenChanged != 0) {
      out.number(childrenChanged);
    }
  }

  static NodePatch read(TreeInput in) {
    int parts = in.index(2 * CHILDREN);
    if (parts == CREATED) {
      return created(NodeRecord.read(in));
    }
    boolean hasValue = (parts & VALUE) != 0;
    byte[] value = hasValue ? in.block() : null;
    long valueSet = hasValue ? in.number() : 0;
    boolean hasPermissions = (parts & PERMISSIONS) != 0;
    NodePermissions permissions = hasPermissions ? NodeRecord.permissions(in) : null;
    return new NodePatch(
        null,
        value,
        valueSet,
        permissions,
        hasPermissions ? in.number() : 0,
        (parts & CHILDREN) == 0 ? 0 : in.number());
  }
}
