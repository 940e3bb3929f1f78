package io.ensemble.zoofence.queue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.ClientInfo;
import org.jspecify.annotations.Nullable;

/**
 * The access of ZooFence's own processes to those znodes of the administrative ensemble that hold
 * credentials of clients: commands, the records of znodes that have an owner, and the records of
 * sessions. All processes of a deployment have the same access. Thread-safe.
 */
public final class AdminAccess {
  /** Every client of the administrative ensemble can read these znodes. */
  public static final AdminAccess OPEN = new AdminAccess("");

  private static final String SCHEME = "digest";

  private final String userAndPassword;

  private AdminAccess(String userAndPassword) {
    this.userAndPassword = userAndPassword;
  }

  /**
   * Only clients with this credential of ZooKeeper's scheme {@code digest} can read these znodes.
   *
   * @param userAndPassword {@code user:password}
   * @throws IllegalArgumentException if the user or the password is empty
   */
  public static AdminAccess digest(String userAndPassword) {
    int colon = userAndPassword.indexOf(':');
    if (colon < 1 || colon == userAndPassword.length() - 1) {
      throw new IllegalArgumentException(
          "the credential for the administrative ensemble must be user:password; got "
              + (colon < 0 ? "no colon" : "an empty part"));
    }
    return new AdminAccess(userAndPassword);
  }

  public boolean isOpen() {
    return userAndPassword.isEmpty();
  }

  /** The credentials with which a process authenticates at the administrative ensemble. */
  public List<QueueCommand.Credential> credentials() {
    return isOpen()
        ? List.of()
        : List.of(
            new QueueCommand.Credential(
                SCHEME, ByteBuffer.wrap(userAndPassword.getBytes(StandardCharsets.UTF_8))));
  }

  /**
   * The access list of znodes with credentials of clients: for what the creating connection has
   * authenticated as. On the connection of a client's session this is also the client, which may
   * read its own credentials.
   */
  public List<ACL> acl() {
    return isOpen() ? ZooDefs.Ids.OPEN_ACL_UNSAFE : ZooDefs.Ids.CREATOR_ALL_ACL;
  }

  /** Whether an identity of a connection is that of the process, and not one of its client. */
  public boolean isOwn(ClientInfo identity) {
    return !isOpen()
        && SCHEME.equals(identity.getAuthScheme())
        && userAndPassword.substring(0, userAndPassword.indexOf(':')).equals(identity.getUser());
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof AdminAccess access && access.userAndPassword.equals(userAndPassword);
  }

  @Override
  public int hashCode() {
    return userAndPassword.hashCode();
  }

  /** Without the password. */
  @Override
  public String toString() {
    return isOpen() ? "open" : SCHEME;
  }
}
