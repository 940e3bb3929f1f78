package io.ensemble.tree.state;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.tree.NodeAccess;
import io.ensemble.tree.NodePermissions;
import java.util.Map;
import java.util.TreeMap;

/**
 * What is stored under a path. The numbers are those of commits.
 *
 * @param created the commit that created it
 * @param valueSet the last commit that set the value
 * @param permissionsSet the last commit that set the permissions
 * @param childrenChanged the last commit that created or removed a child
 */
public record NodeRecord(
    byte[] value,
    NodePermissions permissions,
    long created,
    long valueSet,
    long permissionsSet,
    long childrenChanged) {

  private static final NodeAccess[] ACCESSES = NodeAccess.values();

  /** A record that one commit creates. */
  static NodeRecord createdBy(long commit, byte[] value, NodePermissions permissions) {
    return new NodeRecord(value, permissions, commit, commit, commit, commit);
  }

  /** The last commit that changed any part. */
  long lastChange() {
    return Math.max(Math.max(created, valueSet), Math.max(permissionsSet, childrenChanged));
  }

  /** What counts for the quota of the owner: the value, and the users whom it lists. */
  public long ownedBytes() {
    return value.length + listedBytes(permissions);
  }

  /** The part of {@link #ownedBytes} that is of the permissions. */
  public static long listedBytes(NodePermissions permissions) {
    if (permissions.listed().isEmpty()) {
      return 0;
    }
    return permissions.listed().keySet().stream()
        .mapToLong(u -> u.getBytes(UTF_8).length + 1)
        .sum();
  }

  /** The bytes of the value, and of the users whom the permissions name. */
  int contentBytes() {
    return value.length + namesBytes(permissions);
  }

  /** The bytes of the users whom permissions name, the owner among them. */
  static int namesBytes(NodePermissions permissions) {
    return permissions.owner().getBytes(UTF_8).length + (int) listedBytes(permissions);
  }

  /** The bytes of permissions in a change. */
  public static int encodedBytes(NodePermissions permissions) {
    TreeOutput out = new TreeOutput();
    write(out, permissions);
    return out.size();
  }

  NodeRecord withValue(byte[] changed, long commit) {
    return new NodeRecord(changed, permissions, created, commit, permissionsSet, childrenChanged);
  }

  NodeRecord withPermissions(NodePermissions changed, long commit) {
    return new NodeRecord(value, changed, created, valueSet, commit, childrenChanged);
  }

  NodeRecord withChildrenChanged(long commit) {
    return new NodeRecord(
        value, permissions, created, valueSet, permissionsSet, Math.max(commit, childrenChanged));
  }

  void write(TreeOutput out) {
    out.block(value);
    write(out, permissions);
    out.number(created);
    out.number(valueSet - created);
    out.number(permissionsSet - created);
    out.number(childrenChanged - created);
  }

  static NodeRecord read(TreeInput in) {
    byte[] value = in.block();
    NodePermissions permissions = permissions(in);
    long created = in.number();
    return new NodeRecord(
        value,
        permissions,
        created,
        created + in.number(),
        created + in.number(),
        created + in.number());
  }

  static void write(TreeOutput out, NodePermissions permissions) {
    out.text(permissions.owner());
    out.number(
        (long) permissions.listed().size() * ACCESSES.length + permissions.others().ordinal());
    permissions
        .listed()
        .forEach(
            (user, access) -> {
              out.text(user);
              out.octet(access.ordinal());
            });
  }

  static NodePermissions permissions(TreeInput in) {
    String owner = in.text();
    int head = in.index((NodePermissions.MOST_LISTED + 1) * ACCESSES.length);
    Map<String, NodeAccess> listed = new TreeMap<>();
    for (int i = head / ACCESSES.length; i > 0; i--) {
      listed.put(in.text(), ACCESSES[in.index(ACCESSES.length)]);
    }
    return new NodePermissions(owner, ACCESSES[head % ACCESSES.length], listed);
  }
}
