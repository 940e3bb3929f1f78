package io.ensemble.objects.store;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.objects.store.ObjectStore.Entry;
import io.ensemble.objects.store.ObjectStore.Replaced;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.infinispan.AdvancedCache;
import org.infinispan.commands.VisitableCommand;
import org.infinispan.commands.tx.PrepareCommand;
import org.infinispan.context.InvocationContext;
import org.infinispan.factories.ComponentRegistry;
import org.infinispan.interceptors.AsyncInterceptorChain;
import org.infinispan.interceptors.BaseAsyncInterceptor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Three nodes, a store on each. */
class EmbeddedObjectStoreIT extends ObjectStoreContract {

  private static EmbeddedCluster cluster;
  private static List<ObjectStore> stores;

  @BeforeAll
  static void start() {
    cluster = EmbeddedCluster.start(3);
    stores =
        IntStream.range(0, 3)
            .<ObjectStore>mapToObj(i -> new EmbeddedObjectStore(cluster.cache(i)))
            .toList();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @Override
  List<ObjectStore> stores() {
    return stores;
  }

  /** Otherwise, the read value is lost if the primary owner dies before its backup has it. */
  @Test
  void aReadDoesNotTellWhatThePrimaryOwnerAloneHas() {
    String key = keyOfNode(0);
    int backup = backup(key);
    int outsider = 3 - backup; // The one of nodes 0, 1 and 2 that does not own the key.
    byte[] before = {1};
    byte[] after = {2};
    done(stores.get(outsider).create(key, before));
    done(stores.get(backup).read(key)); // The first read of a key writes it again.
    Object token = done(stores.get(outsider).read(key)).orElseThrow().token();
    CompletableFuture<Void> release = new CompletableFuture<>();
    hold(backup, release);
    try {
      CompletionStage<Replaced> step = stores.get(outsider).replace(key, token, after);
      await("the step is at the primary owner")
          .atMost(60, SECONDS)
          .until(() -> Arrays.equals(cluster.cache(0).get(key), after));

      CompletableFuture<Optional<Entry>> read = stores.get(backup).read(key).toCompletableFuture();

      await("the read waits")
          .during(500, MILLISECONDS)
          .atMost(60, SECONDS)
          .until(() -> !read.isDone());
      release.complete(null);
      assertThat(done(step).done()).isTrue();
      assertThat(done(read).orElseThrow().value()).isEqualTo(after);
    } finally {
      release.complete(null);
    }
  }

  /** A key whose primary owner is {@code node}. */
  private static String keyOfNode(int node) {
    return Stream.generate(() -> "object/" + UUID.randomUUID())
        .filter(key -> cluster.primary(key) == node)
        .findFirst()
        .orElseThrow();
  }

  private static int backup(String key) {
    return IntStream.of(1, 2)
        .filter(
            node -> {
              AdvancedCache<String, byte[]> cache = cluster.cache(node).getAdvancedCache();
              return cache
                  .getDistributionManager()
                  .getCacheTopology()
                  .getDistribution(cache.getKeyDataConversion().toStorage(key))
                  .isReadOwner();
            })
        .findFirst()
        .orElseThrow();
  }

  /** Peers' commits wait at {@code node} until {@code release} is complete. */
  private static void hold(int node, CompletableFuture<Void> release) {
    ComponentRegistry.componentOf(cluster.cache(node), AsyncInterceptorChain.class)
        .addInterceptor(
            new BaseAsyncInterceptor() {
              @Override
              public Object visitCommand(InvocationContext context, VisitableCommand command) {
                return command instanceof PrepareCommand && !context.isOriginLocal()
                    ? asyncInvokeNext(context, command, release)
                    : invokeNext(context, command);
              }
            },
            0);
  }
}
