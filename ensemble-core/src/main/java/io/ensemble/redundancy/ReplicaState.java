package io.ensemble.redundancy;

/** How a process sees one replica of a cache. All but {@link #WHOLE} are missing replicas. */
public enum ReplicaState {
  /** Its node answers and has the store. */
  WHOLE("whole"),
  /** Its node answers and has lost the store, as one that was started again empty. */
  LOST("its node has lost the store, which is to be refilled"),
  /** Its node does not answer, while other nodes of the site do. */
  NODE_UNREACHABLE("its node does not answer"),
  /** Its site is suspected or down. */
  SITE_DOWN("its site does not answer"),
  /** Its node answers and refuses requests to the store. */
  REFUSED("its node refuses requests to the store"),
  /** The catalog names no store for it. */
  NO_STORE("the catalog has no store for it until its site is recovered"),
  /** An SWMR cache goes on without it by command. */
  LEFT_OUT("the cache goes on without it until its site is recovered");

  private final String reason;

  ReplicaState(String reason) {
    this.reason = reason;
  }

  /** What is to be said of the replica, without its name. */
  public String reason() {
    return reason;
  }

  /** Whether the replica does not count. */
  public boolean isMissing() {
    return this != WHOLE;
  }
}
