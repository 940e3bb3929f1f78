package io.ensemble.cache.adapter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.entry;

import io.ensemble.EntryUpdate;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The contract of {@code ConcurrentMap}, and where an Ensemble cache deviates from it. */
class MapContractTest extends CacheAdapterFixture {

  @Test
  void putReturnsNullUnlessValuesAreWanted() {
    assertThat(cache.put("k", 1)).isNull();
    assertThat(cache.put("k", 2)).isNull();
    assertThat(cache.remove("k")).isNull();
    assertThat(cache.containsKey("k")).isFalse();

    var returning = cache.withReturnValues();
    assertThat(returning.put("k", 1)).isNull();
    assertThat(returning.put("k", 2)).isEqualTo(1);
    assertThat(returning.remove("k")).isEqualTo(2);
    assertThat(returning.remove("k")).isNull();
  }

  @Test
  void putIfAbsentKeepsWhatIsThere() {
    assertThat(cache.putIfAbsent("k", 1)).isNull();
    assertThat(cache.putIfAbsent("k", 2)).isEqualTo(1);
    assertThat(cache.get("k")).isEqualTo(1);
  }

  @Test
  void replaceNeedsAPresentKey() {
    assertThat(cache.replace("k", 1)).isNull();
    assertThat(cache.containsKey("k")).isFalse();
    cache.put("k", 1);
    assertThat(cache.replace("k", 2)).isEqualTo(1);
    assertThat(cache.get("k")).isEqualTo(2);
  }

  @Test
  void conditionalsCompareByValue() {
    cache.put("k", new byte[] {1, 2});

    assertThat(cache.replace("k", new byte[] {1}, "no")).isFalse();
    assertThat(cache.replace("k", new byte[] {1, 2}, "yes")).isTrue();
    assertThat(cache.remove("k", "no")).isFalse();
    assertThat(cache.remove("absent", "yes")).isFalse();
    assertThat(cache.remove("k", "yes")).isTrue();
    assertThat(cache.containsKey("k")).isFalse();
  }

  @Test
  void computeSeesWritesAndRemoves() {
    assertThat(cache.compute("k", (k, v) -> v == null ? k + "!" : "bad")).isEqualTo("k!");
    assertThat(cache.compute("k", (k, v) -> v + "!")).isEqualTo("k!!");
    assertThat(cache.compute("k", (k, v) -> null)).isNull();
    assertThat(cache.compute("k", (k, v) -> null)).isNull();
    assertThat(cache.containsKey("k")).isFalse();
  }

  @Test
  void computeIfAbsentAndIfPresentMindTheirOwn() {
    assertThat(cache.computeIfPresent("k", (k, v) -> "bad")).isNull();
    assertThat(cache.computeIfAbsent("k", k -> null)).isNull();
    assertThat(cache.computeIfAbsent("k", k -> 1)).isEqualTo(1);
    assertThat(cache.computeIfAbsent("k", k -> 2)).isEqualTo(1);
    assertThat(cache.computeIfPresent("k", (k, v) -> 3)).isEqualTo(3);
    assertThat(cache.computeIfPresent("k", (k, v) -> null)).isNull();
    assertThat(cache.containsKey("k")).isFalse();
  }

  @Test
  void mergePutsJoinsOrRemoves() {
    assertThat(cache.merge("k", "a", (x, y) -> "bad")).isEqualTo("a");
    assertThat(cache.merge("k", "b", (x, y) -> x + "" + y)).isEqualTo("ab");
    assertThat(cache.merge("k", "c", (x, y) -> null)).isNull();
    assertThat(cache.containsKey("k")).isFalse();
  }

  @Test
  void whatAFunctionThrowsReachesTheCallerAndNothingIsWritten() {
    cache.put("k", 1);

    assertThatExceptionOfType(ArithmeticException.class)
        .isThrownBy(() -> cache.compute("k", (k, v) -> thrown()));

    assertThat(cache.get("k")).isEqualTo(1);
  }

  private static Object thrown() {
    throw new ArithmeticException("on purpose");
  }

  @Test
  void anUpdateDecidesOnValueLifespanAndResult() {
    String absent = cache.update("k", v -> EntryUpdate.keep("saw " + v));
    assertThat(absent).isEqualTo("saw null");
    assertThat(cache.containsKey("k")).isFalse();

    String written =
        cache.update("k", v -> EntryUpdate.write(1, Duration.ofSeconds(2), "saw " + v));
    assertThat(written).isEqualTo("saw null");
    assertThat(cache.get("k")).isEqualTo(1);

    String removed = cache.update("k", v -> EntryUpdate.remove("saw " + v));
    assertThat(removed).isEqualTo("saw 1");
    assertThat(cache.containsKey("k")).isFalse();
    String again = cache.update("k", v -> EntryUpdate.remove("saw " + v));
    assertThat(again).isEqualTo("saw null");
  }

  @Test
  void anUpdateMayLeaveTheExpiryAsItIs() {
    cache.put("k", 1, 2, TimeUnit.SECONDS);
    micros.addAndGet(1_000_000);
    cache.update("k", v -> EntryUpdate.writeWithPresentExpiry(2, null));
    cache.update("eternal", v -> EntryUpdate.writeWithPresentExpiry(2, null));

    micros.addAndGet(999_999);
    assertThat(cache.get("k")).isEqualTo(2);
    micros.addAndGet(1);
    assertThat(cache.get("k")).isNull();
    assertThat(cache.get("eternal")).isEqualTo(2);

    cache.put("k", 1, 2, TimeUnit.SECONDS);
    cache.update("k", v -> EntryUpdate.write(2, Duration.ZERO, null));
    micros.addAndGet(10_000_000);
    assertThat(cache.get("k")).isEqualTo(2);
  }

  @Test
  void getOrDefaultAndBulk() {
    cache.putAll(Map.of("a", 1, "b", 2));

    assertThat(cache.getOrDefault("a", 9)).isEqualTo(1);
    assertThat(cache.getOrDefault("z", 9)).isEqualTo(9);
    assertThat(cache.getAll(Set.of("a", "b", "z"))).containsOnly(entry("a", 1), entry("b", 2));
    assertThat(cache.size()).isEqualTo(2);
    assertThat(cache.isEmpty()).isFalse();
    assertThat(cache.containsValue(2)).isTrue();
    assertThat(cache.containsValue(3)).isFalse();
    cache.clear();
    assertThat(cache.size()).isZero();
    assertThat(cache.isEmpty()).isTrue();
    assertThat(engine.openScans).hasValue(0);
  }

  @Test
  void forEachAndReplaceAllMeetEveryEntry() {
    for (int i = 0; i < 600; i++) {
      cache.put("k" + i, i);
    }
    Map<String, Object> met = new HashMap<>();

    cache.replaceAll((k, v) -> (Integer) v + 1);
    cache.forEach(met::put);

    assertThat(met).hasSize(600).containsEntry("k0", 1).containsEntry("k599", 600);
    assertThatNullPointerException().isThrownBy(() -> cache.replaceAll((k, v) -> null));
    assertThat(cache.size()).isEqualTo(600);
    assertThat(engine.openScans).hasValue(0);
  }

  @Test
  void nullsAreNamed() {
    for (ThrowingCallable call :
        List.<ThrowingCallable>of(
            () -> cache.get(null),
            () -> cache.put(null, 1),
            () -> cache.remove(null),
            () -> cache.containsKey(null),
            () -> cache.putIfAbsent(null, 1),
            () -> cache.getAsync(null),
            () -> cache.async().get(null),
            () -> cache.compute(null, (k, v) -> 1))) {
      assertThatNullPointerException().isThrownBy(call).withMessage("key");
    }
    for (ThrowingCallable call :
        List.<ThrowingCallable>of(
            () -> cache.put("k", null),
            () -> cache.putIfAbsent("k", null),
            () -> cache.replace("k", null),
            () -> cache.merge("k", null, (x, y) -> 1),
            () -> cache.containsValue(null),
            () -> cache.putAsync("k", null))) {
      assertThatNullPointerException().isThrownBy(call).withMessage("value");
    }
    assertThatNullPointerException()
        .isThrownBy(() -> cache.replace("k", null, 1))
        .withMessage("expected value");
    assertThatNullPointerException().isThrownBy(() -> cache.compute("k", null));
    Map<String, Object> holed = new LinkedHashMap<>();
    holed.put("a", 1);
    holed.put("k", null);
    assertThatNullPointerException().isThrownBy(() -> cache.putAll(holed));
    assertThat(cache.isEmpty()).isTrue();
  }

  @Test
  void aValueOverTheLimitIsNamed() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> cache.put("big", new byte[1000]))
        .withMessageContainingAll("value", "1000", "1001", "cache=c", "key=big");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> cache.compute("big", (k, v) -> new byte[1000]));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> cache.put("k".repeat(1000), 1))
        .withMessageContaining("a key has at most 1000 bytes");
    assertThat(cache.isEmpty()).isTrue();
    cache.put("fits", new byte[999]);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, -5, Long.MAX_VALUE})
  void aLifespanThatIsNotPositiveOrEndlessIsForEver(long lifespan) {
    cache.put("k", 1, lifespan, TimeUnit.DAYS);
    micros.addAndGet(TimeUnit.DAYS.toMicros(100_000));

    assertThat(cache.get("k")).isEqualTo(1);
  }

  @Test
  void aLifespanEndsAndIsNotInherited() {
    cache.put("k", 1, 10, TimeUnit.SECONDS);
    cache.put("tiny", 1, 1, TimeUnit.NANOSECONDS);
    assertThat(cache.containsKey("tiny")).isTrue();
    micros.addAndGet(9_999_999);
    assertThat(cache.get("k")).isEqualTo(1);
    assertThat(cache.containsKey("tiny")).isFalse();
    micros.addAndGet(1);
    assertThat(cache.get("k")).isNull();
    assertThat(cache.putIfAbsent("k", 2, 5, TimeUnit.SECONDS)).isNull();
    assertThat(cache.replace("k", 3)).isEqualTo(2);
    micros.addAndGet(5_000_000);
    assertThat(cache.get("k")).isEqualTo(3);
  }

  @Test
  void maxIdleIsRefusedBeforeAnythingIsDone() {
    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(() -> cache.put("k", 1, 0, TimeUnit.SECONDS, 1, TimeUnit.SECONDS))
        .withMessageContaining("max-idle");
    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(
            () -> cache.computeAsync("k", (k, v) -> 1, 0, TimeUnit.SECONDS, 1, TimeUnit.DAYS));
    cache.put("k", 1, 0, TimeUnit.SECONDS, 0, TimeUnit.SECONDS);
    cache.put("k", 1, -1, TimeUnit.SECONDS, -1, TimeUnit.SECONDS);
    assertThat(cache.get("k")).isEqualTo(1);
  }

  @Test
  void everyOverloadDoesWhatItsShortFormDoes() {
    TimeUnit s = TimeUnit.SECONDS;
    cache.putAll(Map.of("k", 1), 9, s);
    cache.putAll(Map.of("l", 1), 9, s, -1, s);
    assertThat(cache.putIfAbsent("k", 2, 9, s, -1, s)).isEqualTo(1);
    assertThat(cache.replace("k", 2, 9, s, -1, s)).isEqualTo(1);
    assertThat(cache.replace("k", 2, 3, 9, s, -1, s)).isTrue();
    assertThat(cache.compute("k", (k, v) -> 4, 9, s, -1, s)).isEqualTo(4);
    assertThat(cache.computeIfPresent("k", (k, v) -> 5, 9, s, -1, s)).isEqualTo(5);
    assertThat(cache.computeIfAbsent("m", k -> 6, 9, s, -1, s)).isEqualTo(6);
    assertThat(cache.merge("k", 7, (x, y) -> y, 9, s, -1, s)).isEqualTo(7);
    assertThat(cache.size()).isEqualTo(3);
    micros.addAndGet(9_000_000);
    assertThat(cache.size()).isZero();
  }

  /** Random operations have the same results as on a {@code ConcurrentHashMap}. */
  @Test
  void itAnswersAsAConcurrentHashMapDoes() {
    long seed = 20261121;
    RandomGenerator random = new SplittableRandom(seed);
    ConcurrentMap<String, Object> model = new ConcurrentHashMap<>();
    ConcurrentMap<String, Object> real = cache.withReturnValues();
    for (int step = 0; step < 3000; step++) {
      int what = random.nextInt(13);
      String key = "k" + random.nextInt(5);
      int a = random.nextInt(3);
      int b = random.nextInt(3);
      assertThat(answer(real, what, key, a, b))
          .as("seed %s step %s operation %s", seed, step, what)
          .isEqualTo(answer(model, what, key, a, b));
    }
    assertThat(new TreeMap<>(real)).isEqualTo(new TreeMap<>(model));
  }

  private static Object answer(
      ConcurrentMap<String, Object> map, int what, String k, int a, int b) {
    return switch (what) {
      case 0 -> map.get(k);
      case 1 -> map.put(k, a);
      case 2 -> map.remove(k);
      case 3 -> map.putIfAbsent(k, a);
      case 4 -> map.replace(k, a);
      case 5 -> map.replace(k, a, b);
      case 6 -> map.remove(k, a);
      case 7 ->
          map.compute(k, (key, v) -> v == null ? (Integer) a : v.equals(a) ? null : (Object) b);
      case 8 -> map.computeIfAbsent(k, key -> a == 0 ? null : a);
      case 9 -> map.computeIfPresent(k, (key, v) -> v.equals(a) ? null : b);
      case 10 -> map.merge(k, a, (x, y) -> x.equals(y) ? null : y);
      case 11 -> map.keySet().remove(k);
      default -> Arrays.asList(map.containsKey(k), map.containsValue(a), map.size());
    };
  }

  @Test
  void theViewOfAQueryIsRefused() {
    Stream.<ThrowingCallable>of(() -> cache.query("from x"), () -> cache.continuousQuery())
        .forEach(
            call ->
                assertThatExceptionOfType(UnsupportedOperationException.class)
                    .isThrownBy(call)
                    .withMessageContaining("opaque"));
    assertThat(cache.getName()).isEqualTo("c");
    assertThat(cache.getVersion()).isNotBlank();
    assertThat(cache)
        .isNotEqualTo(cache.withReturnValues())
        .hasToString("EnsembleCache[c, " + cache.definition().mode() + "]");
  }
}
