package io.ensemble.check.objects;

import io.ensemble.check.federation.SiteDescriptor;
import io.ensemble.check.workload.TrialSubject;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a client process of atomic objects is told to do, as one line of JSON on its standard input.
 *
 * @param kind of the objects
 * @param store what they are stored in
 * @param stored whether states are kept apart from what orders them
 * @param sites where the sites are
 * @param catalog where the caches are defined
 * @param cache the cache that the objects are in
 * @param cluster which node of their cluster this process is; null if it is none
 * @param clients how many clients it is, each with one call at a time
 * @param firstClient the number of its first client in the history
 * @param firstValue above this are the values that it writes, and nobody else
 * @param objects how many there are
 * @param seed of its choices
 * @param nanosBetween how long from one call to the next, of all its clients together
 * @param operations how many calls it makes at most
 * @param deadlineMillis how long a call may take
 * @param history the file for its part of the history
 * @param last whether it only looks at what has become of each object
 */
public record ObjectClientSpec(
    TrialSubject kind,
    ObjectStoreKind store,
    boolean stored,
    List<SiteDescriptor> sites,
    String catalog,
    String cache,
    @Nullable Membership cluster,
    int clients,
    long firstClient,
    long firstValue,
    int objects,
    long seed,
    long nanosBetween,
    long operations,
    long deadlineMillis,
    String history,
    boolean last) {

  /**
   * A place in a cluster of client processes.
   *
   * @param name the cluster's
   * @param port its own
   * @param peers the ports of all
   * @param members how many nodes there are when it has come
   */
  public record Membership(String name, int port, List<Integer> peers, int members) {
    /** Copies the list. */
    public Membership {
      peers = List.copyOf(peers);
    }
  }

  /** The same to a node of a cluster. */
  ObjectClientSpec in(Membership membership) {
    return new ObjectClientSpec(
        kind,
        store,
        stored,
        sites,
        catalog,
        cache,
        membership,
        clients,
        firstClient,
        firstValue,
        objects,
        seed,
        nanosBetween,
        operations,
        deadlineMillis,
        history,
        last);
  }

  /** The name of an object. */
  static String object(TrialSubject kind, int number) {
    return kind.word() + "-" + number;
  }
}
