package io.ensemble.testkit.sim;

/** Something that is done to the federation at one moment. Clients and sites go by their names. */
public sealed interface Fault {

  /** What a site that goes down forgets. */
  enum Forgets {
    /**
     * Nothing: the process stands still. Requests that come meanwhile are performed when it goes
     * on.
     */
    NOTHING,
    /** The requests and walks under way; its stores are there again when it is up. */
    REQUESTS,
    /** Its stores too: it comes back empty. */
    STORES
  }

  /**
   * Messages of a client to a site, from it, or both, vanish from now on. Those on their way
   * arrive.
   */
  record Cut(String client, String site, boolean requests, boolean replies) implements Fault {}

  /** Ends every cut between a client and a site. */
  record Heal(String client, String site) implements Fault {}

  /** Messages to and from a site take {@code factor} times as long from now on; 1 ends it. */
  record Slow(String site, int factor) implements Fault {

    /** Refuses factors that are not at least 1. */
    public Slow {
      if (factor < 1) {
        throw new IllegalArgumentException("slow means a factor of 1 or more; got=" + factor);
      }
    }
  }

  /** A site stops until it is {@link SiteUp}. */
  record SiteDown(String site, Forgets forgets) implements Fault {}

  /** A site goes on. */
  record SiteUp(String site) implements Fault {}

  /** A client never does anything any more. What it had sent arrives. */
  record ClientCrash(String client) implements Fault {}

  /** Other chances for single messages from now on. */
  record Change(MessageFaults chances) implements Fault {}
}
