package io.ensemble.cache.adapter;

import io.ensemble.AsyncEnsembleCache;
import io.ensemble.CacheDefinition;
import io.ensemble.ChangeStream;
import io.ensemble.EnsembleCache;
import io.ensemble.InDoubtWrites;
import io.ensemble.ListenOptions;
import io.ensemble.ReconciledCache;
import io.ensemble.Reconciliation;
import io.ensemble.adapter.EntriesView;
import io.ensemble.adapter.KeysView;
import io.ensemble.adapter.ValuesView;
import io.ensemble.adapter.WriteThroughEntry;
import io.ensemble.cache.BlockingCall;
import io.ensemble.cache.CacheEngine.EntryScan;
import io.ensemble.cache.WindowedEngine;
import io.ensemble.cache.adapter.DecodedChangeStream.Opening;
import io.ensemble.site.Bytes;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.infinispan.commons.api.query.ContinuousQuery;
import org.infinispan.commons.api.query.Query;
import org.infinispan.commons.util.CloseableIteratorCollection;
import org.infinispan.commons.util.CloseableIteratorSet;

/** A view of an open cache; see {@link EnsembleCache}. */
class CacheAdapter<K, V> implements BlockingCacheAdapter<K, V> {

  private static final Duration LONGEST = Duration.ofDays(1);

  private final AsyncCacheAdapter<K, V> face;

  CacheAdapter(CacheContext cacheContext, Duration deadline, boolean returnValues) {
    this.face =
        new AsyncCacheAdapter<>(
            new CallRunner(cacheContext, deadline), cells(cacheContext), returnValues, true);
  }

  static <K, V> EntryCodec<K, V> cells(CacheContext cacheContext) {
    CacheDefinition definition = cacheContext.definition();
    return new EntryCodec<>(
        definition.name(),
        cacheContext.codec(),
        definition.maxValueBytes(),
        cacheContext.epochMicros());
  }

  @Override
  public AsyncCacheAdapter<K, V> face() {
    return face;
  }

  @Override
  public AsyncEnsembleCache<K, V> async() {
    return new AsyncCacheAdapter<>(face.calls(), face.cells(), face.returnValues(), false);
  }

  @Override
  public EnsembleCache<K, V> withDeadline(Duration deadline) {
    checkDeadline(deadline);
    return new CacheAdapter<>(session(), deadline, face.returnValues());
  }

  final void checkDeadline(Duration deadline) {
    if (deadline.isZero() || deadline.isNegative() || deadline.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "deadline must be in (0 s, %s]; cache=".formatted(LONGEST)
              + getName()
              + " deadline="
              + deadline);
    }
  }

  @Override
  public EnsembleCache<K, V> withReturnValues() {
    return new CacheAdapter<>(session(), deadline(), true);
  }

  @Override
  public ReconciledCache<K, V> reconciled(Reconciliation<V> policy) {
    Objects.requireNonNull(policy, "policy");
    if (!definition().keepsSiblings()) {
      throw new UnsupportedOperationException(
          "siblings require a WEAK cache that was created with siblings; cache=" + getName());
    }
    return new ReconciledCacheAdapter<>(session(), deadline(), face.returnValues(), policy);
  }

  @Override
  public Runnable onInDoubtWrites(Consumer<InDoubtWrites<K>> listener) {
    Objects.requireNonNull(listener, "listener");
    return face.calls().engine() instanceof WindowedEngine windowedEngine
        ? windowedEngine.listen(report -> listener.accept(decoded(report)))
        : () -> {};
  }

  @Override
  public ChangeStream<K, V> listen(ListenOptions<K> options) {
    Objects.requireNonNull(options, "options");
    BlockingCall.refuseOn(session().scheduler());
    Opening<K, V> opening = beginListening(options);
    try {
      BlockingCall.result(opening::ready, deadline(), session().scheduler());
    } catch (RuntimeException | Error failure) {
      opening.stream().close();
      throw failure;
    }
    return opening.stream();
  }

  /** Begins to open a stream of changes; does not wait. */
  Opening<K, V> beginListening(ListenOptions<K> options) {
    return DecodedChangeStream.begin(face.calls(), face.cells(), options);
  }

  @Override
  public void addClientListener(Object listener) {
    Objects.requireNonNull(listener, "listener");
    session().listeners().add(listener, this);
  }

  @Override
  public void removeClientListener(Object listener) {
    session().listeners().remove(listener);
  }

  @Override
  public Set<Object> getListeners() {
    return session().listeners().registered();
  }

  private InDoubtWrites<K> decoded(InDoubtWrites<Bytes> report) {
    return new InDoubtWrites<>(
        report.cache(),
        report.epoch(),
        report.fate(),
        report.writes().stream()
            .map(write -> new InDoubtWrites.Write<>(face.cells().key(write.key()), write.stamp()))
            .toList());
  }

  @Override
  public CacheDefinition definition() {
    return session().definition();
  }

  @Override
  public Duration deadline() {
    return face.calls().longest();
  }

  @Override
  public String getName() {
    return definition().name();
  }

  @Override
  public String getVersion() {
    String version = CacheAdapter.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }

  @Override
  public CloseableIteratorSet<K> keySet() {
    return new KeysView<>(
        this, () -> new EntryIterator<>(this, entry -> face.cells().key(entry.key())));
  }

  @Override
  public CloseableIteratorCollection<V> values() {
    return new ValuesView<>(
        this, () -> new EntryIterator<>(this, entry -> face.cells().read(entry.value())));
  }

  @Override
  public CloseableIteratorSet<Map.Entry<K, V>> entrySet() {
    return new EntriesView<>(this, () -> new EntryIterator<>(this, this::live));
  }

  private Map.Entry<K, V> live(EntryScan.Entry entry) {
    EntryCodec<K, V> cells = face.cells();
    return new WriteThroughEntry<>(this, cells.key(entry.key()), cells.read(entry.value()));
  }

  @Override
  public <T> Query<T> query(String text) {
    throw opaque("query");
  }

  @Override
  public ContinuousQuery<K, V> continuousQuery() {
    throw opaque("continuousQuery");
  }

  @Override
  public void start() {
    // A cache is open from its creation.
  }

  @Override
  public void stop() {
    session().stop().run();
  }

  @Override
  public String toString() {
    return "EnsembleCache[" + getName() + ", " + definition().mode() + "]";
  }

  final CacheContext session() {
    return face.calls().session();
  }

  private UnsupportedOperationException opaque(String what) {
    return new UnsupportedOperationException(
        what + " is not supported: values are opaque to sites; cache=" + getName());
  }
}
