package io.ensemble.site;

import io.ensemble.detect.SuspicionLevel;
import io.ensemble.schedule.Deadline;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * One cluster of the federation. Stages fail with {@link SiteException} and complete on {@link
 * io.ensemble.schedule.Scheduler#answers()} of the calling thread. A store's name must pass {@link
 * StoreNames#check}. Thread-safe.
 */
public interface Site extends AutoCloseable {

  /** The site's name, unique in the federation. */
  String name();

  /**
   * The end of the name of a store that is to be created: {@code token}. For a {@link
   * StoreKind#REPLICA} at a site that distinguishes its nodes, the token is followed by the node
   * that will hold the store. Sends no request; of several nodes a token selects one, if the node
   * is not known to be silent. Fails with {@link SiteException.Reason#UNSUITABLE} if every node is
   * among {@code taken}.
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
   * SiteException.Reason#UNSUITABLE} when the site is registered with a single endpoint and has
   * several nodes. Sends one request at most, three if it has one endpoint.
   *
   * @param probe the name of a store that is created and removed again where that is needed
   */
  default CompletionStage<Integer> countNodes(String probe, Deadline deadline) {
    return CompletableFuture.completedStage(1);
  }

  /**
   * The node that alone holds a store of that name, according to its {@link #incarnation}; empty if
   * the site decides. The availability of each node is judged on its own: the silence of one node
   * implies nothing for others.
   */
  default String nodeOf(String store) {
    return "";
  }

  /** Whether a node, as in {@link #nodeOf}, did not answer its last request. Sends no request. */
  default boolean isSilent(String node) {
    return false;
  }

  /** Whether new stores are kept on disk. */
  default boolean isOnDisk() {
    return false;
  }

  /** As {@link #renew()}, for one node. */
  default void renew(String node) {
    renew();
  }

  /**
   * Creates a store that does not exist yet, started on every node, or on the one in its name, and
   * checked to satisfy {@code kind}. Fails with {@link SiteException.Reason#UNSUITABLE} when the
   * site cannot provide that; the message says what is required and what the site has. Fails with
   * {@link SiteException.Reason#FAILED} when the name is taken.
   */
  CompletionStage<SiteStore> create(String store, StoreKind kind, Deadline deadline);

  /**
   * Opens an existing store. Fails with {@link SiteException.Reason#STORE_LOST} when it does not
   * exist. The store is never created by this call, because an empty store must not answer for a
   * full one.
   */
  CompletionStage<SiteStore> open(String store, StoreKind kind, Deadline deadline);

  /** Removes a store; succeeds when there is none. Every later call on the store fails. */
  CompletionStage<Void> remove(String store, Deadline deadline);

  /**
   * The names of all existing stores, including other caches of the site. A name with quotes,
   * backslashes or control characters may be returned mangled.
   */
  CompletionStage<Set<String>> stores(Deadline deadline);

  /**
   * The load of the site, by its own statistics. Sends one request for each of its stores, and two
   * more. {@link SiteStatistics#UNKNOWN} for a site that keeps no statistics.
   */
  default CompletionStage<SiteStatistics> figures(Deadline deadline) {
    return CompletableFuture.completedStage(SiteStatistics.UNKNOWN);
  }

  /**
   * The load of one store, by its own statistics. Sends one request, over the connections that
   * requests to the store use. {@link StoreStatistics#UNKNOWN} for a store that keeps no
   * statistics. Fails with {@link SiteException.Reason#STORE_LOST} if the store does not exist. A
   * retry is safe.
   */
  default CompletionStage<StoreStatistics> figures(String store, Deadline deadline) {
    return CompletableFuture.completedStage(StoreStatistics.UNKNOWN);
  }

  /**
   * Renews the site's own connections, where that may help, after the site has been silent for some
   * time. Requests in progress may fail. Returns immediately.
   */
  default void renew() {}

  /**
   * Connects to the site's present endpoints, if the site is not connected to any of them, because
   * the endpoints may have changed. Requests in progress may fail. Returns immediately.
   */
  default void moved() {}

  /**
   * The nodes that the site has announced so far; empty if it has announced none. Sends no request.
   * Addresses are not resolved.
   */
  default Set<InetSocketAddress> nodes() {
    return Set.of();
  }

  /** The suspicion that this process has of the site, by its responses. Sends no request. */
  default SuspicionLevel health() {
    return SuspicionLevel.UNASKED;
  }

  /**
   * When the certificates expire on which connections to the site depend, and the revocation lists;
   * empty for a site without TLS. Makes one connection to each endpoint, for a handshake only, and
   * reads files. A node that does not answer, and a file that cannot be read, has an unknown
   * expiry. The result implies nothing about {@link #health}. A retry is safe.
   */
  default CompletionStage<List<CertificateExpiry>> certificates(Deadline deadline) {
    return CompletableFuture.completedStage(List.of());
  }

  /** Closes the connections. */
  @Override
  void close();
}
