package io.ensemble.objects.drive;

import io.ensemble.objects.course.Answer;
import io.ensemble.objects.course.Request;
import io.ensemble.objects.machine.UnreadableException;
import io.ensemble.objects.root.Batch;
import io.ensemble.objects.root.Bytes;
import io.ensemble.objects.root.Root;
import io.ensemble.objects.root.Wire;
import io.ensemble.objects.store.ObjectStore;
import io.ensemble.objects.store.ObjectStore.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** A course's requests, as those of a store. */
final class Requests {

  private final ObjectStore store;
  private final String name;

  Requests(ObjectStore store, String name) {
    this.store = store;
    this.name = name;
  }

  /** Never fails: what goes wrong is an answer. */
  CompletionStage<Answer> ask(Request request) {
    try {
      return answer(request).exceptionally(Requests::failure);
    } catch (RuntimeException e) {
      return CompletableFuture.completedFuture(failure(e));
    }
  }

  private CompletionStage<Answer> answer(Request request) {
    if (request instanceof Request.Look look) {
      return look(look);
    }
    if (request instanceof Request.Swap swap) {
      return store
          .replace(Keys.root(name), swap.token(), Wire.write(swap.next()))
          .thenApply(r -> new Answer.Swapped(r.done(), r.token().orElse(null)));
    }
    if (request instanceof Request.Post post) {
      Batch batch = post.batch();
      return store
          .put(Keys.mailbox(batch.birth(), batch.session()), Wire.write(batch))
          .thenApply(done -> new Answer.Done());
    }
    if (request instanceof Request.Save save) {
      return store
          .put(Keys.snapshot(save.snapshot()), save.state().array())
          .thenApply(done -> new Answer.Done());
    }
    Request.Fetch fetch = (Request.Fetch) request;
    return store
        .read(Keys.snapshot(fetch.snapshot()))
        .thenApply(e -> new Answer.Fetched(e.map(v -> Bytes.of(v.value())).orElse(null)));
  }

  private CompletionStage<Answer> look(Request.Look look) {
    CompletionStage<List<Batch>> posted = CompletableFuture.completedFuture(List.of());
    for (UUID session : look.mailboxes()) {
      posted =
          posted.thenCombine(
              store.read(Keys.mailbox(look.birth(), session)).exceptionally(e -> Optional.empty()),
              Requests::with);
    }
    return store.read(Keys.root(name)).thenCombine(posted, Requests::looked);
  }

  private static Answer looked(Optional<Entry> entry, List<Batch> posted) {
    if (entry.isEmpty()) {
      return new Answer.Looked(null, null, posted);
    }
    Root root = Wire.root(entry.get().value());
    return new Answer.Looked(root, entry.get().token(), posted);
  }

  /** A mailbox that cannot be read is its owner's business. */
  private static List<Batch> with(List<Batch> batches, Optional<Entry> entry) {
    if (entry.isEmpty()) {
      return batches;
    }
    List<Batch> more = new ArrayList<>(batches);
    try {
      more.add(Wire.batch(entry.get().value()));
    } catch (UnreadableException e) {
      return batches;
    }
    return more;
  }

  private static Answer failure(Throwable thrown) {
    Throwable cause =
        thrown instanceof CompletionException && thrown.getCause() != null
            ? thrown.getCause()
            : thrown;
    return cause instanceof UnreadableException
        ? new Answer.Unreadable(String.valueOf(cause.getMessage()))
        : new Answer.Failed(cause.toString());
  }
}
