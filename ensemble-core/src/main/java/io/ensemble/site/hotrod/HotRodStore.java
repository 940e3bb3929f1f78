package io.ensemble.site.hotrod;

import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import io.ensemble.site.StoredEntry;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.infinispan.client.hotrod.Flag;
import org.infinispan.client.hotrod.MetadataValue;
import org.infinispan.client.hotrod.RemoteCache;
import org.jspecify.annotations.Nullable;

/**
 * A backing cache over Hot Rod. Deadlines are the bounded site's affair: stages complete when the
 * client has done with the request, by its socket timeout at the latest.
 */
final class HotRodStore implements SiteStore {

  private final StoreKind kind;
  private final Replies replies;
  private final RemoteCache<byte[], byte[]> cache;
  private final RemoteCache<byte[], byte[]> returning;

  HotRodStore(StoreKind kind, RemoteCache<byte[], byte[]> cache, Replies replies) {
    this.kind = kind;
    this.replies = replies;
    this.cache = cache;
    this.returning = cache.withFlags(Flag.FORCE_RETURN_VALUE);
  }

  @Override
  public String site() {
    return replies.site();
  }

  @Override
  public CompletionStage<Optional<StoredEntry>> read(Bytes key, Deadline deadline) {
    return ask(
        "read",
        () -> kind == StoreKind.ACCEPTOR ? readAtOwner(key, true) : readAnywhere(key),
        HotRodStore::entry);
  }

  private CompletableFuture<@Nullable MetadataValue<byte[]>> readAnywhere(Bytes key) {
    return cache.getWithMetadataAsync(key.array());
  }

  /**
   * An answer from another node than the key's owner may be older than what another client has
   * seen, which a majority that agrees would not reveal. It is dropped; since it brought the
   * topology or the connection that was missing, a second read goes where it should.
   */
  private CompletableFuture<@Nullable MetadataValue<byte[]>> readAtOwner(Bytes key, boolean again) {
    int before = OwnerWatch.asked();
    CompletableFuture<@Nullable MetadataValue<byte[]>> answer = readAnywhere(key);
    if (OwnerWatch.asked() == before) {
      return answer;
    }
    return answer.thenCompose(
        dropped -> again ? readAtOwner(key, false) : CompletableFuture.failedFuture(noOwner()));
  }

  private SiteException noOwner() {
    String detail = "the node that owns the key cannot be reached, another might answer old news";
    return new SiteException(site(), Reason.UNREACHABLE, detail + "; " + what("read"));
  }

  private static Optional<StoredEntry> entry(@Nullable MetadataValue<byte[]> found) {
    return found == null
        ? Optional.empty()
        : Optional.of(new StoredEntry(Bytes.of(found.getValue()), found.getVersion()));
  }

  @Override
  public CompletionStage<Boolean> putIfAbsent(Bytes key, Bytes value, Deadline deadline) {
    // Only the previous value tells: without the flag the answer is null either way.
    return ask(
        "putIfAbsent",
        () -> returning.putIfAbsentAsync(key.array(), value.array()),
        Objects::isNull);
  }

  @Override
  public CompletionStage<Boolean> replace(Bytes key, long version, Bytes value, Deadline deadline) {
    return ask(
        "replace",
        () -> cache.replaceWithVersionAsync(key.array(), value.array(), version),
        Function.identity());
  }

  @Override
  public CompletionStage<Boolean> remove(Bytes key, long version, Deadline deadline) {
    return ask(
        "remove", () -> cache.removeWithVersionAsync(key.array(), version), Function.identity());
  }

  @Override
  public CompletionStage<Void> put(Bytes key, Bytes value, Deadline deadline) {
    return ask("put", () -> cache.putAsync(key.array(), value.array()), previous -> null);
  }

  @Override
  public CompletionStage<Optional<Bytes>> getAndPut(Bytes key, Bytes value, Deadline deadline) {
    return ask(
        "getAndPut",
        () -> returning.putAsync(key.array(), value.array()),
        previous -> Optional.ofNullable(previous).map(Bytes::of));
  }

  @Override
  public Scan scan(int batchSize) {
    return new HotRodScan(cache, batchSize, replies);
  }

  private <A extends @Nullable Object, B> CompletionStage<B> ask(
      String request, Supplier<? extends CompletionStage<A>> call, Function<A, B> read) {
    return replies.to(what(request), call, read);
  }

  private String what(String request) {
    return "store=" + cache.getName() + " request=" + request;
  }
}
