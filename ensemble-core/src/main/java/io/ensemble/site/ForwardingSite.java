package io.ensemble.site;

import io.ensemble.detect.SuspicionLevel;
import io.ensemble.schedule.Deadline;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * A site that forwards every call to {@link #site()}, for wrappers that override a few methods. A
 * wrapper that implements {@link Site} directly inherits its defaults, which hide the nodes of the
 * wrapped site.
 */
public interface ForwardingSite extends Site {

  /** The wrapped site. */
  Site site();

  @Override
  default String name() {
    return site().name();
  }

  @Override
  default String incarnation(String token, StoreKind kind, Set<String> taken) {
    return site().incarnation(token, kind, taken);
  }

  @Override
  default CompletionStage<Integer> countNodes(String probe, Deadline deadline) {
    return site().countNodes(probe, deadline);
  }

  @Override
  default String nodeOf(String store) {
    return site().nodeOf(store);
  }

  @Override
  default boolean isSilent(String node) {
    return site().isSilent(node);
  }

  @Override
  default boolean isOnDisk() {
    return site().isOnDisk();
  }

  @Override
  default CompletionStage<SiteStore> create(String store, StoreKind kind, Deadline deadline) {
    return site().create(store, kind, deadline);
  }

  @Override
  default CompletionStage<SiteStore> open(String store, StoreKind kind, Deadline deadline) {
    return site().open(store, kind, deadline);
  }

  @Override
  default CompletionStage<Void> remove(String store, Deadline deadline) {
    return site().remove(store, deadline);
  }

  @Override
  default CompletionStage<Set<String>> stores(Deadline deadline) {
    return site().stores(deadline);
  }

  @Override
  default CompletionStage<SiteStatistics> figures(Deadline deadline) {
    return site().figures(deadline);
  }

  @Override
  default CompletionStage<StoreStatistics> figures(String store, Deadline deadline) {
    return site().figures(store, deadline);
  }

  @Override
  default void renew() {
    site().renew();
  }

  @Override
  default void renew(String node) {
    site().renew(node);
  }

  @Override
  default void moved() {
    site().moved();
  }

  @Override
  default Set<InetSocketAddress> nodes() {
    return site().nodes();
  }

  @Override
  default SuspicionLevel health() {
    return site().health();
  }

  @Override
  default CompletionStage<List<CertificateExpiry>> certificates(Deadline deadline) {
    return site().certificates(deadline);
  }

  @Override
  default void close() {
    site().close();
  }
}
