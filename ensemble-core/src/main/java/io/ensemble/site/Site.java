package io.ensemble.site;

import io.ensemble.detect.SuspicionLevel;
import io.ensemble.schedule.Deadline;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * One cluster of the federation. Stages fail with {@link SiteException} and complete where {@link
 * io.ensemble.schedule.Scheduler#answers()} says at the call. A store's name must pass {@link
 * StoreNames#check}. Thread-safe.
 */
public interface Site extends AutoCloseable {

  /** The site's name, unique in the federation. */
  String name();

  /**
   * The end of the name of a store that is to be created: {@code token}, for a {@link
   * StoreKind#REPLICA} followed by the node that will hold it, where the site has nodes that it
   * tells apart. Sends nothing; of several nodes a token picks one, if it is not known to be
   * silent. Fails with {@link SiteException.Reason#UNSUITABLE} if every node is among {@code
   * taken}.
   *
   * @param token 8 hexadecimal digits, never used before
   * @param taken the nodes, as in {@link #nodeOf}, that hold other replicas of the same cache
   * @return 8 or 16 hexadecimal digits
   */
  default String incarnation(String token, StoreKind kind, Set<String> taken) {
    return token;
  }

  /**
   * How many nodes can hold replicas of a cache, a replica each. Fails with {@link
   * SiteException.Reason#UNSUITABLE} when the site has more nodes than it is registered with one by
   * one, and is registered with one alone. One request at most, three if it has one endpoint.
   *
   * @param probe the name of a store that is created and removed again where that is needed
   */
  default CompletionStage<Integer> countNodes(String probe, Deadline deadline) {
    return CompletableFuture.completedStage(1);
  }

  /**
   * Which of the site's nodes alone holds a store of that name, as its {@link #incarnation} says;
   * empty if the site decides. Nodes are judged apart: one that is silent says nothing of others.
   */
  default String nodeOf(String store) {
    return "";
  }

  /** Whether a node, as in {@link #nodeOf}, did not answer when it was last asked. Asks nobody. */
  default boolean isSilent(String node) {
    return false;
  }

  /** Whether new stores are kept on disk. */
  default boolean isOnDisk() {
    return false;
  }

  /** As {@link #renew()}, of one node. */
  default void renew(String node) {
    renew();
  }

  /**
   * Creates a store that is not there yet, started on every node, or on the one that its name says,
   * and checked to be what {@code kind} promises. Fails with {@link
   * SiteException.Reason#UNSUITABLE} when the site cannot give that, saying what is wanted and what
   * it has, and with {@link SiteException.Reason#FAILED} when the name is taken.
   */
  CompletionStage<SiteStore> create(String store, StoreKind kind, Deadline deadline);

  /**
   * Opens a store that is there. Fails with {@link SiteException.Reason#STORE_LOST} when it is not:
   * it is never created on the way, for an empty store must not answer for a full one.
   */
  CompletionStage<SiteStore> open(String store, StoreKind kind, Deadline deadline);

  /** Removes a store; succeeds when there is none. Every later call on it fails. */
  CompletionStage<Void> remove(String store, Deadline deadline);

  /**
   * The names of the stores that there are, whoever made them; other caches of the site may be
   * among them. A name with quotes, backslashes or control characters may come mangled.
   */
  CompletionStage<Set<String>> stores(Deadline deadline);

  /**
   * What the site has to do, by its own statistics. One request for each of its stores, and two
   * more. {@link SiteStatistics#UNKNOWN} of a site that keeps no statistics.
   */
  default CompletionStage<SiteStatistics> figures(Deadline deadline) {
    return CompletableFuture.completedStage(SiteStatistics.UNKNOWN);
  }

  /**
   * The site has been silent for some time: begins anew with connections of its own, where that may
   * help. What is under way may fail. Returns at once.
   */
  default void renew() {}

  /**
   * Where the site is may have changed: begins anew there, if it has none of its present nodes
   * among those. What is under way may fail. Returns at once.
   */
  default void moved() {}

  /**
   * The nodes that the site has told of, as far as it has; empty if it has not. Asks nobody.
   * Addresses are not resolved.
   */
  default Set<InetSocketAddress> nodes() {
    return Set.of();
  }

  /** What this process thinks of the site, by the answers that it gives. Asks nobody. */
  default SuspicionLevel health() {
    return SuspicionLevel.UNASKED;
  }

  /** Closes the connections. */
  @Override
  void close();
}
