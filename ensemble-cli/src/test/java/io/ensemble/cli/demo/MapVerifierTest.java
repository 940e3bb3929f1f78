package io.ensemble.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The demonstration's checks accept a correct map and find each kind of wrong answer. */
class MapVerifierTest {

  private static final List<ShopOrder> ORDERS = OrderGenerator.of(1, 0, 40);

  @Test
  void aGoodMapPasses() {
    try (MapVerifier mapVerifier = trial(new ConcurrentHashMap<>(), Duration.ZERO)) {
      mapVerifier.write(ORDERS);

      assertThat(mapVerifier.work(ORDERS)).isEqualTo(new DemoCounts(80, 60, 160));
      assertThat(mapVerifier.readAll()).isEqualTo(mapVerifier.entries()).isEqualTo(60);
      assertThat(mapVerifier.lateReads()).isZero();
    }
  }

  @Test
  void aLostWriteIsFound() {
    failsOn(
        new ConcurrentHashMap<>() {
          @Override
          public ShopOrder put(String key, ShopOrder order) {
            return key.equals("order:7") ? null : super.put(key, order);
          }
        });
  }

  @Test
  void aStaleReadIsFound() {
    failsOn(
        new ConcurrentHashMap<>() {
          private final AtomicInteger writes = new AtomicInteger();

          @Override
          public ShopOrder put(String key, ShopOrder order) {
            boolean forgotten = order.state().equals("paid") && writes.incrementAndGet() == 20;
            return forgotten ? null : super.put(key, order);
          }
        });
  }

  @Test
  void aConditionThatIsMetTwiceIsFound() {
    failsOn(
        new ConcurrentHashMap<>() {
          @Override
          public boolean replace(String key, ShopOrder old, ShopOrder fresh) {
            super.put(key, fresh);
            return true;
          }
        });
  }

  @Test
  void aRefusedConditionThatHeldIsFound() {
    failsOn(
        new ConcurrentHashMap<>() {
          @Override
          public boolean replace(String key, ShopOrder old, ShopOrder fresh) {
            return false;
          }
        });
  }

  @Test
  void aRemovedEntryThatComesBackIsFound() {
    failsOn(
        new ConcurrentHashMap<>() {
          @Override
          public ShopOrder remove(Object key) {
            return null;
          }
        });
  }

  @Test
  void anEntryThatIsGoneIsFoundByReadingAll() {
    ConcurrentMap<String, ShopOrder> cache = new ConcurrentHashMap<>();
    try (MapVerifier mapVerifier = trial(cache, Duration.ZERO)) {
      mapVerifier.write(ORDERS);
      cache.remove("order:3");

      assertThatThrownBy(mapVerifier::readAll)
          .isInstanceOf(VerificationException.class)
          .hasMessageContaining("found null")
          .hasMessageContaining("key=order:3");
    }
  }

  @Test
  void aFailureOfTheCacheIsNotTakenForAnAnswer() {
    ConcurrentMap<String, ShopOrder> down =
        new ConcurrentHashMap<>() {
          @Override
          public ShopOrder get(Object key) {
            throw new IllegalStateException("down");
          }
        };
    try (MapVerifier mapVerifier = trial(down, Duration.ZERO)) {
      mapVerifier.write(ORDERS);

      assertThatThrownBy(mapVerifier::readAll).hasMessage("down");
    }
  }

  @Test
  void patienceForgivesWhatArrivesLateAndCountsIt() {
    AtomicInteger reads = new AtomicInteger();
    ConcurrentMap<String, ShopOrder> slow =
        new ConcurrentHashMap<>() {
          @Override
          public ShopOrder get(Object key) {
            return reads.incrementAndGet() % 3 == 0 ? super.get(key) : null;
          }
        };
    try (MapVerifier mapVerifier = new MapVerifier("slow", slow, 1, Duration.ofSeconds(20))) {
      mapVerifier.write(ORDERS);

      assertThat(mapVerifier.readAll()).isEqualTo(40);
      assertThat(mapVerifier.lateReads()).isEqualTo(40);
    }
  }

  private static void failsOn(ConcurrentMap<String, ShopOrder> cache) {
    try (MapVerifier mapVerifier = trial(cache, Duration.ZERO)) {
      mapVerifier.write(ORDERS);

      assertThatThrownBy(
              () -> {
                mapVerifier.work(ORDERS);
                mapVerifier.readAll();
              })
          .isInstanceOf(VerificationException.class);
    }
  }

  private static MapVerifier trial(ConcurrentMap<String, ShopOrder> cache, Duration patience) {
    return new MapVerifier("orders", cache, 4, patience);
  }
}
