package io.ensemble.cache.adapter;

import io.ensemble.AsyncSiblings;
import io.ensemble.CausalContext;
import io.ensemble.ReconciledCache;
import io.ensemble.Reconciliation;
import io.ensemble.SiblingValues;
import io.ensemble.WriteOutcome;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A view of an open cache that keeps siblings; see {@link ReconciledCache}. */
final class ReconciledCacheAdapter<K, V> extends CacheAdapter<K, V>
    implements ReconciledCache<K, V> {

  private final CacheContext whole;
  private final Reconciliation<V> policy;
  private final SiblingAdapter<K, V> siblings;

  /**
   * @param whole the cache without a policy
   */
  ReconciledCacheAdapter(
      CacheContext whole, Duration deadline, boolean returnValues, Reconciliation<V> policy) {
    super(reconciling(whole, policy), deadline, returnValues);
    this.whole = whole;
    this.policy = policy;
    siblings = new SiblingAdapter<>(face().calls(), face().cells());
  }

  private static <V> CacheContext reconciling(CacheContext whole, Reconciliation<V> policy) {
    SiblingPolicy<V> one =
        new SiblingPolicy<>(CacheAdapter.<Object, V>cells(whole), whole.scheduler(), policy);
    // Without a layer, which may hold values that another policy made.
    return whole.below(engine -> engine).through(new ReconcilingEngine(whole.engine(), one::one));
  }

  private <R> CompletableFuture<@Nullable R> plain(CompletableFuture<WriteOutcome<R>> outcome) {
    return OutcomeConverter.valueOf(getName(), outcome);
  }

  @Override
  public SiblingValues<V> siblings(K key) {
    return awaited(() -> siblings.siblings(key));
  }

  @Override
  public void put(K key, V value, CausalContext seen) {
    put(key, value, seen, Duration.ZERO);
  }

  @Override
  public void put(K key, V value, CausalContext seen, Duration lifespan) {
    awaited(() -> plain(siblings.put(key, value, seen, lifespan)));
  }

  @Override
  public void remove(K key, CausalContext seen) {
    awaited(() -> plain(siblings.remove(key, seen)));
  }

  @Override
  public @Nullable V resolve(K key, Reconciliation<V> merge) {
    Objects.requireNonNull(merge, "merge");
    return awaited(() -> plain(siblings.resolve(key, merge)));
  }

  @Override
  public @Nullable V resolve(K key) {
    return resolve(key, policy);
  }

  @Override
  public AsyncSiblings<K, V> asyncSiblings() {
    return siblings;
  }

  @Override
  public ReconciledCache<K, V> reconciled(Reconciliation<V> other) {
    return new ReconciledCacheAdapter<>(
        whole, deadline(), face().returnValues(), Objects.requireNonNull(other, "policy"));
  }

  @Override
  public ReconciledCache<K, V> withDeadline(Duration deadline) {
    checkDeadline(deadline);
    return new ReconciledCacheAdapter<>(whole, deadline, face().returnValues(), policy);
  }

  @Override
  public ReconciledCache<K, V> withReturnValues() {
    return new ReconciledCacheAdapter<>(whole, deadline(), true, policy);
  }
}
