package io.ensemble.objects;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ensemble.objects.protocol.ProtocolSettings;
import io.ensemble.objects.record.RootCodec;
import io.ensemble.objects.runtime.ObjectKeys;
import io.ensemble.objects.store.EnsembleObjectStore;
import io.ensemble.objects.store.HotRodObjectStore;
import io.ensemble.objects.store.ObjectStore;
import io.ensemble.objects.store.ThreeSites;
import io.ensemble.objects.value.StateCodec;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Processes with two versions of a class, on real caches. The new version has one more method. */
@Timeout(120)
class RollingUpgradeIT {

  private static final int BATCHES_LEFT = 3;
  private static final int CALLS = 20;

  /** The old version. */
  public static class Old {
    private long sum;

    public long add() {
      return ++sum;
    }
  }

  /** The new version. */
  public static class New {
    private long sum;

    public long add() {
      return ++sum;
    }

    public long addMany(int more) {
      sum += more;
      return sum;
    }
  }

  private static final ObjectType<Old> OLD =
      ObjectType.of(Old.class).named("sum").codec(codec(o -> o.sum, RollingUpgradeIT::old));
  private static final ObjectType<New> NEW =
      ObjectType.of(New.class).named("sum").codec(codec(n -> n.sum, RollingUpgradeIT::renewed));

  private static Old old(long sum) {
    Old old = new Old();
    old.sum = sum;
    return old;
  }

  private static New renewed(long sum) {
    New renewed = new New();
    renewed.sum = sum;
    return renewed;
  }

  private static <T> StateCodec<T> codec(ToLongFunction<T> sum, Function<Long, T> made) {
    return new StateCodec<>() {
      @Override
      public byte[] write(T state) {
        return ByteBuffer.allocate(Long.BYTES).putLong(sum.applyAsLong(state)).array();
      }

      @Override
      public T read(byte[] bytes) {
        return made.apply(ByteBuffer.wrap(bytes).getLong());
      }
    };
  }

  private enum Kind {
    HOT_ROD {
      @Override
      List<ObjectStore> stores() {
        return MANAGERS.stream()
            .<ObjectStore>map(m -> new HotRodObjectStore(HotRodObjectStore.cache(m, "versions")))
            .toList();
      }
    },
    ACROSS_SITES {
      @Override
      List<ObjectStore> stores() {
        return sites.caches().stream().<ObjectStore>map(EnsembleObjectStore::new).toList();
      }
    };

    abstract List<ObjectStore> stores();
  }

  private static final List<RemoteCacheManager> MANAGERS = new ArrayList<>();

  @TempDir private static Path catalog;
  private static ThreeSites sites;

  @BeforeAll
  static void start() {
    sites = ThreeSites.shared(catalog);
    List<Integer> ports =
        sites.site("lyon").endpoints().stream().map(InetSocketAddress::getPort).toList();
    MANAGERS.add(CountingProgram.manager(ports));
    MANAGERS.add(CountingProgram.manager(ports));
  }

  @AfterAll
  static void stop() {
    MANAGERS.forEach(RemoteCacheManager::close);
    sites.close();
  }

  @ParameterizedTest
  @EnumSource
  void whatACombinerCannotReadIsMadeByItsOwnProcess(Kind kind) throws Exception {
    ObjectStore store = kind.stores().get(1);
    AtomicInteger found = new AtomicInteger();
    try (AtomicObjectFactory before =
            AtomicObjectFactory.on(countingMail(kind.stores().get(0), found));
        AtomicObjectFactory after = AtomicObjectFactory.on(store)) {
      Old old = before.create("sum", OLD);
      New renewed = after.open("sum", NEW);

      int rounds = 0;
      while (found.get() < BATCHES_LEFT && rounds < 200) {
        rounds++;
        CompletableFuture<Void> others =
            CompletableFuture.runAsync(
                () -> repeat(() -> renewed.addMany(1_000)), task -> new Thread(task).start());
        repeat(old::add);
        others.join();
        awaitNoCombiner(store, "sum");
      }

      assertThat(found.get()).isGreaterThanOrEqualTo(BATCHES_LEFT);
      assertThat(renewed.addMany(0)).isEqualTo(1_001L * CALLS * rounds);
    }
  }

  @ParameterizedTest
  @EnumSource
  void whoCannotReadACallThatWasMadeSaysSoAndOthersGoOn(Kind kind) throws Exception {
    ProtocolSettings stored = ProtocolSettings.DEFAULT.inlineBytes(1).tailBytes(200);
    List<ObjectStore> stores = kind.stores();
    try (AtomicObjectFactory before =
            AtomicObjectFactory.builder(stores.get(0)).layout(stored).build();
        AtomicObjectFactory after =
            AtomicObjectFactory.builder(stores.get(1)).layout(stored).build()) {
      Old old = before.create("large", OLD);
      New renewed = after.open("large", NEW);
      for (int i = 1; i <= 5; i++) {
        assertThat(old.add()).isEqualTo(i);
      }

      assertThat(renewed.addMany(100)).isEqualTo(105);

      assertThatThrownBy(old::add).isInstanceOf(AtomicObjectException.class); // it may be under way
      assertThatThrownBy(old::add)
          .isInstanceOf(AtomicObjectException.ObjectUnreadable.class)
          .hasMessageContaining("addMany");
      for (int i = 0; i < 40; i++) { // until a snapshot includes that call
        renewed.add();
      }
      assertThat(before.open("large", OLD).add()).isBetween(146L, 147L);
    }
  }

  private static void repeat(Runnable call) {
    for (int i = 0; i < CALLS; i++) {
      call.run();
    }
  }

  /** A combiner without work resigns; then either session may be the next combiner. */
  private static void awaitNoCombiner(ObjectStore store, String name) {
    await("a combiner that has nothing to do resigns")
        .pollInterval(10, MILLISECONDS)
        .atMost(60, SECONDS)
        .until(() -> combiner(store, name) == null);
  }

  private static @Nullable UUID combiner(ObjectStore store, String name) throws Exception {
    Optional<ObjectStore.Entry> root =
        store.read(ObjectKeys.root(name)).toCompletableFuture().get(60, SECONDS);
    return RootCodec.root(root.orElseThrow().value()).combiner();
  }

  /** Counts the batches that combiners find in mailboxes. */
  private static ObjectStore countingMail(ObjectStore store, AtomicInteger found) {
    return (ObjectStore)
        Proxy.newProxyInstance(
            RollingUpgradeIT.class.getClassLoader(),
            new Class<?>[] {ObjectStore.class},
            (proxy, method, arguments) -> {
              try {
                Object answer = method.invoke(store, arguments);
                return method.getName().equals("read")
                        && ((String) arguments[0]).startsWith("mailbox/")
                    ? counted((CompletionStage<Optional<?>>) answer, found)
                    : answer;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private static CompletionStage<Optional<?>> counted(
      CompletionStage<Optional<?>> read, AtomicInteger found) {
    return read.thenApply(
        entry -> {
          found.addAndGet(entry.isPresent() ? 1 : 0);
          return entry;
        });
  }
}
