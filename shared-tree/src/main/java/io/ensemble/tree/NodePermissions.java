package io.ensemble.tree;

import java.util.Map;
import java.util.TreeMap;

/**
 * Who may use a node. Immutable.
 *
 * @param owner the user who may do everything with the node, and whose quota it counts for
 * @param others the access of each user who is neither the owner nor listed
 * @param listed the access of single users; at most {@link #MOST_LISTED}
 */
public record NodePermissions(String owner, NodeAccess others, Map<String, NodeAccess> listed) {

  /** The maximum number of listed users. */
  public static final int MOST_LISTED = 32;

  /** The maximum length of the name of a user, in characters. */
  public static final int LONGEST_USER = 100;

  /** Checks the names and their number. */
  public NodePermissions {
    checkUser(owner);
    listed.keySet().forEach(NodePermissions::checkUser);
    if (listed.size() > MOST_LISTED) {
      throw new IllegalArgumentException(
          "permissions must list at most %d users; got %d".formatted(MOST_LISTED, listed.size()));
    }
    listed = java.util.Collections.unmodifiableMap(new TreeMap<>(listed));
  }

  /** Permissions of an owner, with one access for all other users. */
  public static NodePermissions of(String owner, NodeAccess others) {
    return new NodePermissions(owner, others, Map.of());
  }

  /**
   * Throws {@link IllegalArgumentException} if a user cannot have that name. It has 1 to 100
   * characters, without {@code /} and control characters.
   */
  public static void checkUser(String user) {
    if (user.isEmpty()
        || user.length() > LONGEST_USER
        || user.chars().anyMatch(c -> c == '/' || Character.isISOControl(c) || c == 0xffff)
        || !java.nio.charset.StandardCharsets.UTF_8.newEncoder().canEncode(user)) {
      throw new IllegalArgumentException(
          "the name of a user must have 1 to %d characters, without / and control characters; got %d"
              .formatted(LONGEST_USER, user.length()));
    }
  }

  /** A copy that gives one user an access of its own. */
  public NodePermissions with(String user, NodeAccess access) {
    Map<String, NodeAccess> more = new TreeMap<>(listed);
    more.put(user, access);
    return new NodePermissions(owner, others, more);
  }

  /** A copy with another owner. */
  public NodePermissions ownedBy(String user) {
    return new NodePermissions(user, others, listed);
  }

  /** The access of a user. */
  public NodeAccess accessOf(String user) {
    return user.equals(owner) ? NodeAccess.BOTH : listed.getOrDefault(user, others);
  }
}
