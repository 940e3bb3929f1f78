package io.ensemble.tree.runtime;

import io.ensemble.objects.runtime.BlockingWait;
import io.ensemble.objects.runtime.RequestRetrier;
import io.ensemble.objects.runtime.TimedExecutor;
import io.ensemble.objects.runtime.UnwrappedCause;
import io.ensemble.objects.store.ObjectStore;
import io.ensemble.objects.store.ObjectStore.Entry;
import io.ensemble.tree.TreeException;
import io.ensemble.tree.state.PageId;
import io.ensemble.tree.state.TreePage;
import java.time.Duration;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.infinispan.commons.util.CloseableIterator;

/** The pages of one tree, and lists of replaced pages, as entries of a store. */
public final class PageStore implements TreePages {

  private static final int MOST_REQUESTS = 64;

  /** About the bytes of the pages that are written together; at most one such write at a time. */
  private static final int BATCH_BYTES = 256 << 10;

  private static final String PREFIX = "tree/";
  private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(3);

  private final ObjectStore store;
  private final TimedExecutor timedExecutor;
  private final RequestRetrier retrier;
  private final String prefix;
  private final Duration timeout;
  private final String birth;
  private final PageCache cached;

  /** Requests under way; at most one for each thread that reads, and those of a checkpoint. */
  private final Map<PageId, CompletableFuture<Optional<TreePage>>> loading =
      new ConcurrentHashMap<>();

  /**
   * @param birth the birth of the tree
   * @param cached has the pages of this tree, and perhaps of others
   */
  public PageStore(
      ObjectStore store,
      TimedExecutor timedExecutor,
      String birth,
      PageCache cached,
      Duration timeout) {
    this.store = store;
    this.timedExecutor = timedExecutor;
    this.retrier = new RequestRetrier(timedExecutor, REQUEST_TIMEOUT);
    this.prefix = PREFIX + birth + "/";
    this.timeout = timeout;
    this.birth = birth;
    this.cached = cached;
  }

  /** Whether an entry under this key belongs to a tree. */
  public static boolean isOfTree(String key) {
    return key.startsWith(PREFIX);
  }

  private String key(PageId id) {
    return "%s%d/%d-%s"
        .formatted(prefix, id.checkpoint(), id.index(), Long.toHexString(id.digest()));
  }

  private String replacedKey(long checkpoint) {
    return prefix + checkpoint + "/replaced";
  }

  @Override
  public TreePage read(PageId id) {
    TreePage page = cached.get(birth, id);
    return page != null ? page : wait(load(id)).orElseThrow(() -> MissingPageException.of(id));
  }

  /** Reads a page; callers that want the same page at the same time share the request. */
  private CompletableFuture<Optional<TreePage>> load(PageId id) {
    CompletableFuture<Optional<TreePage>> mine = new CompletableFuture<>();
    CompletableFuture<Optional<TreePage>> others = loading.putIfAbsent(id, mine);
    if (others != null) {
      return others;
    }
    this.<Optional<Entry>>asked(() -> store.read(key(id)))
        .thenApply(found -> found.map(entry -> keep(id, entry)))
        .whenComplete(
            (page, failure) -> {
              loading.remove(id);
              if (failure == null) {
                mine.complete(page);
              } else {
                mine.completeExceptionally(UnwrappedCause.of(failure));
              }
            });
    return mine;
  }

  private TreePage keep(PageId id, Entry entry) {
    try {
      TreePage page = TreePage.decoded(id, entry.value());
      cached.put(birth, id, page);
      return page;
    } catch (IllegalArgumentException e) {
      throw new TreeException.Damaged(String.valueOf(e.getMessage()), e);
    }
  }

  @Override
  public Optional<TreePage> cached(PageId id) {
    return Optional.ofNullable(cached.get(birth, id));
  }

  @Override
  public void readAll(Collection<PageId> ids) {
    all(ids, id -> load(id).thenAccept(page -> {}));
  }

  @Override
  public void write(long checkpoint, Map<PageId, byte[]> pages, List<PageId> replaced) {
    byte[] list = PageId.encoded(replaced);
    CompletableFuture<Void> listed = asked(() -> store.put(replacedKey(checkpoint), list));
    Map<String, byte[]> batch = new LinkedHashMap<>();
    int bytes = 0;
    for (Map.Entry<PageId, byte[]> page : pages.entrySet()) {
      batch.put(key(page.getKey()), page.getValue());
      bytes += page.getValue().length;
      if (bytes >= BATCH_BYTES) {
        putAll(batch);
        batch = new LinkedHashMap<>();
        bytes = 0;
      }
    }
    if (!batch.isEmpty()) {
      putAll(batch);
    }
    pages.forEach((id, encoded) -> cached.put(birth, id, TreePage.decoded(id, encoded)));
    wait(listed);
  }

  private void putAll(Map<String, byte[]> batch) {
    wait(this.<Void>asked(() -> store.putAll(batch)));
  }

  @Override
  public void removeReplaced(long checkpoint) {
    String key = replacedKey(checkpoint);
    Optional<Entry> list = wait(asked(() -> store.read(key)));
    if (list.isPresent()) {
      all(PageId.decoded(list.get().value()), id -> this.<Void>asked(() -> store.remove(key(id))));
      wait(asked(() -> store.remove(key)));
    }
  }

  @Override
  public void discard(Collection<PageId> pages, long checkpoint) {
    all(pages, id -> this.<Void>asked(() -> store.remove(key(id))));
    wait(asked(() -> store.remove(replacedKey(checkpoint))));
  }

  /** Removes all entries. Costs an iteration over all keys of the store. */
  public void removeEverything() {
    try (CloseableIterator<String> keys = store.keys(prefix)) {
      keys.forEachRemaining(key -> wait(asked(() -> store.remove(key))));
    }
  }

  private <T> CompletableFuture<T> asked(
      java.util.function.Supplier<CompletionStage<? extends T>> request) {
    return retrier.<T>asked(request, timedExecutor.now() + timeout.toNanos()).toCompletableFuture();
  }

  /** Makes requests for all, of which a bounded number is under way at a time. */
  private <T> void all(Collection<T> items, Function<T, CompletableFuture<Void>> request) {
    Iterator<T> left = items.iterator();
    while (left.hasNext()) {
      java.util.ArrayList<CompletableFuture<Void>> some = new java.util.ArrayList<>();
      while (left.hasNext() && some.size() < MOST_REQUESTS) {
        some.add(request.apply(left.next()));
      }
      wait(CompletableFuture.allOf(some.toArray(CompletableFuture[]::new)));
    }
  }

  private static <T> T wait(CompletableFuture<T> stage) {
    try {
      return BlockingWait.toItsEnd(stage);
    } catch (TreeException e) {
      throw e;
    } catch (RuntimeException e) {
      throw new TreeException.NotApplied("the store does not answer: " + e, e);
    }
  }
}
