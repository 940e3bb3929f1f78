package io.ensemble.objects.runtime;

import io.ensemble.objects.machine.UnreadableException;
import io.ensemble.objects.protocol.StoreRequest;
import io.ensemble.objects.protocol.StoreResponse;
import io.ensemble.objects.record.ByteString;
import io.ensemble.objects.record.CallBatch;
import io.ensemble.objects.record.ObjectRoot;
import io.ensemble.objects.record.RootCodec;
import io.ensemble.objects.store.ObjectStore;
import io.ensemble.objects.store.ObjectStore.Entry;
import io.ensemble.objects.store.ObjectStore.Replaced;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** Translates the requests of a session to requests of a store. */
final class ObjectStoreClient {

  private final ObjectStore store;
  private final String name;

  ObjectStoreClient(ObjectStore store, String name) {
    this.store = store;
    this.name = name;
  }

  /** Never fails: a failure is a response. */
  CompletionStage<StoreResponse> ask(StoreRequest request) {
    try {
      return answer(request).exceptionally(ObjectStoreClient::failure);
    } catch (RuntimeException e) {
      return CompletableFuture.completedFuture(failure(e));
    }
  }

  private CompletionStage<StoreResponse> answer(StoreRequest request) {
    if (request instanceof StoreRequest.Look look) {
      return look(look);
    }
    if (request instanceof StoreRequest.Swap swap) {
      return store
          .replace(ObjectKeys.root(name), swap.token(), RootCodec.write(swap.next()))
          .thenApply(ObjectStoreClient::swapped);
    }
    if (request instanceof StoreRequest.Post post) {
      CallBatch batch = post.batch();
      return store
          .put(ObjectKeys.mailbox(batch.birth(), post.mailbox()), RootCodec.write(batch))
          .thenApply(done -> new StoreResponse.Done());
    }
    if (request instanceof StoreRequest.Save save) {
      return store
          .put(ObjectKeys.snapshot(save.snapshot()), save.state().array())
          .thenApply(done -> new StoreResponse.Done());
    }
    StoreRequest.Fetch fetch = (StoreRequest.Fetch) request;
    return store
        .read(ObjectKeys.snapshot(fetch.snapshot()))
        .thenApply(
            e -> new StoreResponse.Fetched(e.map(v -> ByteString.of(v.value())).orElse(null)));
  }

  private CompletionStage<StoreResponse> look(StoreRequest.Look look) {
    CompletionStage<List<CallBatch>> posted = CompletableFuture.completedFuture(List.of());
    for (UUID session : look.mailboxes()) {
      posted =
          posted.thenCombine(
              store
                  .read(ObjectKeys.mailbox(look.birth(), session))
                  .exceptionally(e -> Optional.empty()),
              ObjectStoreClient::with);
    }
    return store.read(ObjectKeys.root(name)).thenCombine(posted, ObjectStoreClient::looked);
  }

  private static StoreResponse swapped(Replaced replaced) {
    return new StoreResponse.Swapped(
        replaced.done(),
        replaced.token().orElse(null),
        replaced.found().isEmpty() ? null : looked(replaced.found(), List.of()));
  }

  private static StoreResponse.Looked looked(Optional<Entry> entry, List<CallBatch> posted) {
    if (entry.isEmpty()) {
      return new StoreResponse.Looked(null, null, posted);
    }
    ObjectRoot root = RootCodec.root(entry.get().value());
    return new StoreResponse.Looked(root, entry.get().token(), posted);
  }

  /** A mailbox that cannot be read is ignored; only its owner is affected. */
  private static List<CallBatch> with(List<CallBatch> batches, Optional<Entry> entry) {
    if (entry.isEmpty()) {
      return batches;
    }
    List<CallBatch> more = new ArrayList<>(batches);
    try {
      more.add(RootCodec.batch(entry.get().value()));
    } catch (UnreadableException e) {
      return batches;
    }
    return more;
  }

  private static StoreResponse failure(Throwable thrown) {
    Throwable cause =
        thrown instanceof CompletionException && thrown.getCause() != null
            ? thrown.getCause()
            : thrown;
    return cause instanceof UnreadableException
        ? new StoreResponse.Unreadable(String.valueOf(cause.getMessage()))
        : new StoreResponse.Failed(cause.toString());
  }
}
