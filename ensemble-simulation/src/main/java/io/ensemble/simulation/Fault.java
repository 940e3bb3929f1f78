package io.ensemble.simulation;

/** A change to the federation at one moment. Clients and sites are identified by their names. */
public sealed interface Fault {

  /** The state that a site loses when it goes down. */
  enum LostState {
    /**
     * No state: the process is paused. Requests that arrive meanwhile are performed when it
     * resumes.
     */
    NOTHING,
    /** The requests and walks under way; its stores are there again when it is up. */
    REQUESTS,
    /** Its stores as well: it comes back empty. */
    STORES
  }

  /**
   * Messages from a client to a site, from the site, or both, are lost from now on. Messages in
   * flight arrive.
   */
  record Cut(String client, String site, boolean requests, boolean replies) implements Fault {}

  /** Ends every cut between a client and a site. */
  record Heal(String client, String site) implements Fault {}

  /**
   * Messages to and from a site take {@code factor} times as long from now on; factor 1 ends the
   * fault.
   */
  record Slow(String site, int factor) implements Fault {

    /** Refuses factors that are not at least 1. */
    public Slow {
      if (factor < 1) {
        throw new IllegalArgumentException("slow means a factor of 1 or more; got=" + factor);
      }
    }
  }

  /** A site stops until it is {@link SiteUp}. */
  record SiteDown(String site, LostState forgets) implements Fault {}

  /** A site resumes. */
  record SiteUp(String site) implements Fault {}

  /** A client stops permanently. Messages that it has sent arrive. */
  record ClientCrash(String client) implements Fault {}

  /** Other probabilities for single messages from now on. */
  record Change(MessageFaults chances) implements Fault {}
}
