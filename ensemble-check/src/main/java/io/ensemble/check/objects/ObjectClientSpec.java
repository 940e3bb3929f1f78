package io.ensemble.check.objects;

import io.ensemble.check.federation.SiteDescriptor;
import io.ensemble.check.workload.TrialSubject;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The order to a client process of atomic objects, as one line of JSON on its standard input.
 *
 * @param kind the kind of objects
 * @param store the kind of store for the objects
 * @param stored whether states are stored separately from the log that orders them
 * @param sites the sites and their addresses
 * @param catalog the address of the catalog
 * @param cache the cache of the objects
 * @param cluster the node of the objects' cluster that this process is; null if it is none
 * @param clients the number of clients in the process, each with one call at a time
 * @param firstClient the number of its first client in the history
 * @param firstValue the process writes values above this one; no other process writes these
 * @param objects the number of objects
 * @param seed the seed of its choices
 * @param nanosBetween the time from one call to the next, of all its clients together
 * @param operations the maximum number of calls
 * @param deadlineMillis the deadline of a call
 * @param history the file for its part of the history
 * @param last whether it only reads the final state of each object
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
   * The membership in a cluster of client processes.
   *
   * @param name the name of the cluster
   * @param port its own port
   * @param peers the ports of all
   * @param members the number of nodes including this one
   */
  public record Membership(String name, int port, List<Integer> peers, int members) {
    /** Copies the list. */
    public Membership {
      peers = List.copyOf(peers);
    }
  }

  /** The same order for a node of a cluster. */
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
