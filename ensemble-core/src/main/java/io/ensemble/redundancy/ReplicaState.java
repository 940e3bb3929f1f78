package io.ensemble.redundancy;

/**
 * The state of one replica, as a process sees it. A replica is missing in every state but {@link
 * #WHOLE}.
 */
public enum ReplicaState {
  /** Its node answers and has the store. */
  WHOLE("whole"),
  /** Its node answers and has lost the store, for example a node that was restarted empty. */
  LOST("its node has lost the store, which will be refilled"),
  /** Its node does not answer, while other nodes of the site do. */
  NODE_UNREACHABLE("its node does not answer"),
  /** Its site is suspected or down. */
  SITE_DOWN("its site does not answer"),
  /** Its node answers and refuses requests to the store. */
  REFUSED("its node refuses requests to the store"),
  /** The catalog names no store for it. */
  NO_STORE("the catalog has no store for it until its site is recovered"),
  /** An SWMR cache continues without it by command. */
  LEFT_OUT("the cache continues without it until its site is recovered");

  private final String reason;

  ReplicaState(String reason) {
    this.reason = reason;
  }

  /** The description of the state, without the replica's name. */
  public String reason() {
    return reason;
  }

  /** Whether the replica does not count. */
  public boolean isMissing() {
    return this != WHOLE;
  }
}
