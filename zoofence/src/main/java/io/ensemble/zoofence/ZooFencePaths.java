package io.ensemble.zoofence;

import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.flattening.ZnodePaths;

/**
 * The paths of ZooFence's own znodes. All are below {@code /zookeeper}, which belongs to ZooKeeper.
 * So the tree that a client sees is the tree of a single ZooKeeper.
 */
public final class ZooFencePaths {
  /** The root of ZooFence's znodes at each instance. */
  public static final String ROOT = "/zookeeper/zoofence";

  /**
   * The root of ZooFence's znodes at the administrative ensemble, which may be one of the
   * instances.
   */
  public static final String ADMIN = "/zookeeper/zoofence-admin";

  /** The identity of the deployment to which an instance belongs. */
  public static final String DEPLOYMENT = ROOT + "/deployment";

  /**
   * The guard, which lists the locks at an instance; its version grows with each lock and each
   * release.
   */
  public static final String GUARD = ROOT + "/guard";

  /** The number of the flattening epoch in use at an instance; its change ends a move there. */
  public static final String EPOCH = ROOT + "/epoch";

  /** The client session to which each of an instance's own sessions belongs. */
  public static final String OWNERS = ROOT + "/sessions";

  /** The progress of each queue's commands at an instance. */
  public static final String APPLIED = ROOT + "/queues";

  /** The owners of znodes that several instances hold and that are removed with their owner. */
  public static final String OWNED = ROOT + "/owned";

  /** A path at which no znode ever exists. */
  public static final String NEVER = ROOT + "/never";

  /** The queues that are paused for a command of a larger set. */
  public static final String GRANTS = ADMIN + "/grants";

  public static final String ADMIN_DEPLOYMENT = ADMIN + "/deployment";
  public static final String FLATTENING = ADMIN + "/flattening";

  /** An ephemeral znode for each live session. */
  public static final String LIVE = ADMIN + "/live";

  /**
   * The record of each session; the outcomes for which a session waits are the children of its
   * record.
   */
  public static final String SESSIONS = ADMIN + "/sessions";

  /** The ephemeral znodes of each session that several instances hold. */
  public static final String EPHEMERALS = ADMIN + "/ephemerals";

  /** The containers and the znodes with a time to live that several instances hold. */
  public static final String UNUSED = ADMIN + "/unused";

  public static final String QUEUES = ADMIN + "/queues";
  public static final String LEADERS = ADMIN + "/leaders";

  /** The reports of subtree moves, for the processes that requested the moves. */
  public static final String MOVES = ADMIN + "/moves";

  private ZooFencePaths() {}

  /** Whether a path belongs to ZooFence; no client reaches such a path. */
  public static boolean hidden(String path) {
    return ZnodePaths.under(path, ROOT) || ZnodePaths.under(path, ADMIN);
  }

  /** Whether znodes of ZooFence are below a path that clients see. */
  public static boolean mayHide(String path) {
    return ZnodePaths.under(ROOT, path) || ZnodePaths.under(ADMIN, path);
  }

  /**
   * The report of a move. Names of commands occur again when the znode of a queue is replaced; the
   * transaction that created a command never does.
   *
   * @param created the transaction that created the command
   */
  public static String moveReport(long created) {
    return ZnodePaths.child(MOVES, hex(created));
  }

  /** Names the znode of a session or a queue. */
  public static String hex(long number) {
    return Long.toHexString(number);
  }

  public static String queue(InstanceSet set) {
    return ZnodePaths.child(QUEUES, hex(set.bits()));
  }

  /**
   * Names the record that a session owns a path; the name contains the command that created the
   * path.
   */
  public static String record(String path, long command) {
    return escaped(path) + "#" + command;
  }

  /** The path in the name of such a record. */
  public static String recorded(String name) {
    return unescaped(name.substring(0, name.lastIndexOf('#')));
  }

  /** Escapes a path so that it can be the name of a znode. */
  public static String escaped(String path) {
    return path.replace("%", "%25").replace("/", "%2F");
  }

  public static String unescaped(String name) {
    return name.replace("%2F", "/").replace("%25", "%");
  }
}
