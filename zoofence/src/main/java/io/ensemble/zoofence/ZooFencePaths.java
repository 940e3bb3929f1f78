package io.ensemble.zoofence;

import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.flattening.ZnodePaths;

/**
 * Where ZooFence keeps its own znodes: below {@code /zookeeper}, which belongs to ZooKeeper, so
 * that no client's tree looks different from one that a single ZooKeeper holds.
 */
public final class ZooFencePaths {
  /** At each instance. */
  public static final String ROOT = "/zookeeper/zoofence";

  /** At the administrative ensemble, which may be one of the instances. */
  public static final String ADMIN = "/zookeeper/zoofence-admin";

  /** Whose instance this is. */
  public static final String DEPLOYMENT = ROOT + "/deployment";

  /** What is locked at an instance; its version grows with each lock and each release. */
  public static final String GUARD = ROOT + "/guard";

  /** The number of the flattening by which an instance is used; its change ends a move there. */
  public static final String EDITION = ROOT + "/edition";

  /** Which session an instance's own session belongs to. */
  public static final String OWNERS = ROOT + "/sessions";

  /** How far each queue's commands have been applied at an instance. */
  public static final String APPLIED = ROOT + "/queues";

  /** The sessions that own ephemeral znodes which several instances hold. */
  public static final String OWNED = ROOT + "/owned";

  /** A path that no znode ever has. */
  public static final String NEVER = ROOT + "/never";

  /** Queues that stand still for a command of a larger set. */
  public static final String GRANTS = ADMIN + "/grants";

  public static final String ADMIN_DEPLOYMENT = ADMIN + "/deployment";
  public static final String FLATTENING = ADMIN + "/flattening";

  /** A znode for each session that lives, ephemeral. */
  public static final String LIVE = ADMIN + "/live";

  /** What is known of each session; results that it waits for are its children. */
  public static final String SESSIONS = ADMIN + "/sessions";

  /** The ephemeral znodes of each session which several instances hold. */
  public static final String EPHEMERALS = ADMIN + "/ephemerals";

  /** The containers and znodes with a time to live which several instances hold. */
  public static final String UNUSED = ADMIN + "/unused";

  public static final String QUEUES = ADMIN + "/queues";
  public static final String LEADERS = ADMIN + "/leaders";

  /** How moves of subtrees ended, for whoever asked for them. */
  public static final String MOVES = ADMIN + "/moves";

  private ZooFencePaths() {}

  /** Whether a path is one of ours, which no client reaches. */
  public static boolean hidden(String path) {
    return ZnodePaths.under(path, ROOT) || ZnodePaths.under(path, ADMIN);
  }

  /** Whether znodes of ours are below a path that clients see. */
  public static boolean mayHide(String path) {
    return ZnodePaths.under(ROOT, path) || ZnodePaths.under(ADMIN, path);
  }

  /** A session or a queue as the name of a znode. */
  public static String hex(long number) {
    return Long.toHexString(number);
  }

  public static String queue(InstanceSet set) {
    return ZnodePaths.child(QUEUES, hex(set.bits()));
  }

  /** The record that a session owns a path, by the command that made it. */
  public static String record(String path, long command) {
    return escaped(path) + "#" + command;
  }

  /** The path of such a record. */
  public static String recorded(String name) {
    return unescaped(name.substring(0, name.lastIndexOf('#')));
  }

  /** A path as the name of a znode. */
  public static String escaped(String path) {
    return path.replace("%", "%25").replace("/", "%2F");
  }

  public static String unescaped(String name) {
    return name.replace("%2F", "/").replace("%25", "%");
  }
}
