package io.ensemble.cache.weak;

import static io.ensemble.cache.weak.WeakCacheFixture.key;

import io.ensemble.WriteOutcome;
import io.ensemble.cache.Payload;
import io.ensemble.cache.weak.WeakCacheFixture.Client;
import io.ensemble.cache.weak.entry.SiblingCodec;
import io.ensemble.cache.weak.replica.WeakOptions;
import io.ensemble.envelope.EnvelopeCodec;
import io.ensemble.sibling.ActorVersionVector;
import io.ensemble.sibling.Sibling;
import io.ensemble.sibling.SiblingUpdate.Decision;
import io.ensemble.sibling.Siblings;
import io.ensemble.site.Bytes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * One seeded run: clients with skewed clocks write at three sites while answers are lost, copies
 * are delayed, sites stop answering or lose their memory, and clients crash; then all faults end.
 * The run records which values each write replaces; no two values are equal.
 */
final class SiblingRun {

  /** The kinds of faults. */
  record Troubles(boolean faults, boolean amnesia, boolean crash) {}

  private record Shown(ActorVersionVector seen, Set<String> values) {}

  private final WeakCacheFixture fixture;
  private final Random random;
  private final Troubles troubles;
  private final List<Client> clients = new ArrayList<>();
  private final Map<String, Shown> tokens = new HashMap<>();
  private final Map<String, Sibling<Payload>> dots = new HashMap<>();

  /** For each write, the values that any of its attempts may have replaced. */
  private final Map<String, Set<String>> tookPlaceOf = new HashMap<>();

  /** For each write, the values that its last attempt replaces, which is the one that counts. */
  private final Map<String, Set<String>> lastTookPlaceOf = new HashMap<>();

  private final Set<String> acknowledged = new TreeSet<>();
  private final Set<String> forgotten = new HashSet<>();
  private final Set<String> mayReturn = new HashSet<>();
  private final List<String> violations = new ArrayList<>();
  private int numbers;
  private int unknown;

  SiblingRun(long seed, int most, Troubles troubles) {
    this.random = new Random(seed);
    this.troubles = troubles;
    fixture = WeakSiblingsTest.siblings(3, most);
    fixture.options =
        fixture.options.withCopies(
            new WeakOptions.CopyLimits(
                4, 20, 1 << 20, Duration.ofMillis(100), Duration.ofSeconds(2)));
    for (FakeSiteMemory site : fixture.sites) {
      site.onStore = this::stored;
    }
    for (int i = 0; i < 4; i++) {
      Client client = fixture.client(i % 3, i + 1);
      client.skewMicros = (random.nextInt(600) - 300) * 1_000L;
      clients.add(client);
    }
  }

  private void stored(Bytes key, Bytes value) {
    for (Sibling<Payload> one : siblings(value).alive()) {
      dots.put(WeakCacheFixture.text(one.value()), one);
    }
  }

  private static Siblings<Payload> siblings(Bytes stored) {
    return SiblingCodec.siblings(EnvelopeCodec.decode(stored));
  }

  void work(int operations) {
    for (int i = 0; i < operations; i++) {
      if (troubles.faults()) {
        disturb();
      }
      if (troubles.amnesia() && i == operations / 2) {
        forget(fixture.sites.get(random.nextInt(3)));
      }
      operation(clients.get(random.nextInt(clients.size())), random.nextInt(2) == 0 ? "k" : "l");
      fixture.scheduler.run(Duration.ofMillis(random.nextInt(400)));
    }
    fixture.scheduler.run(Duration.ofSeconds(15));
    if (troubles.crash()) {
      clients.remove(0).crash();
    }
    clients.forEach(WeakSiblingsTest::heal);
    clients.forEach(client -> client.ways.forEach(way -> way.delay = Duration.ofMillis(1)));
    clients.forEach(client -> client.ways.forEach(way -> way.next.clear()));
    fixture.settle();
    for (int i = 0; i < 3; i++) { // The bound may drop more siblings when sites are compared.
      clients.get(0).reconcile();
    }
  }

  private void disturb() {
    FakeStore way = clients.get(random.nextInt(4)).ways.get(random.nextInt(3));
    switch (random.nextInt(8)) {
      case 0 -> way.next.add(FakeSiteMemory.Mode.MUTE);
      case 1 -> way.next.addAll(List.of(FakeSiteMemory.Mode.UP, FakeSiteMemory.Mode.MUTE));
      case 2 -> way.next.add(FakeSiteMemory.Mode.REFUSING);
      case 3 -> way.delay = Duration.ofMillis(1 + random.nextInt(3_000));
      case 4 -> way.delay = Duration.ofMillis(1);
      case 5 -> way.cut = true;
      case 6 -> way.cut = false;
      default -> way.next.add(FakeSiteMemory.Mode.SILENT);
    }
  }

  /** Clears the site, and notes the values and replacements that no other site has seen. */
  private void forget(FakeSiteMemory site) {
    for (Map.Entry<String, Sibling<Payload>> value : dots.entrySet()) {
      boolean lives = knows(site, value, false);
      boolean died = knows(site, value, true);
      boolean elsewhere =
          fixture.sites.stream()
              .anyMatch(
                  other ->
                      other != site && (knows(other, value, false) || knows(other, value, true)));
      boolean deadElsewhere =
          fixture.sites.stream().anyMatch(other -> other != site && knows(other, value, true));
      if (lives && !elsewhere) {
        forgotten.add(value.getKey());
      }
      if (died && !deadElsewhere) {
        mayReturn.add(value.getKey());
      }
    }
    site.entries.clear();
  }

  private boolean knows(
      FakeSiteMemory site, Map.Entry<String, Sibling<Payload>> value, boolean dead) {
    Sibling<Payload> dot = value.getValue();
    return site.entries.values().stream()
        .map(entry -> siblings(entry.value()))
        .filter(there -> there.seen().covers(dot.actor(), dot.stamp().micros()))
        .anyMatch(there -> there.alive().contains(dot) != dead);
  }

  private void operation(Client client, String key) {
    int kind = random.nextInt(10);
    if (kind < 2) {
      client
          .engine
          .siblings(key(key), fixture.deadline(Duration.ofSeconds(3)))
          .thenAccept(found -> tokens.put(key, new Shown(found.seen(), values(found))));
      return;
    }
    String value = kind == 2 ? null : key + "-" + numbers++;
    Shown shown = kind < 6 ? tokens.get(key) : null;
    String writer = value == null ? "removal-" + numbers++ : value;
    client
        .engine
        .<Void>amend(
            key(key),
            found -> {
              Set<String> places = shown == null ? values(found) : shown.values();
              tookPlaceOf.computeIfAbsent(writer, same -> new TreeSet<>()).addAll(places);
              lastTookPlaceOf.put(writer, places);
              return Decision.write(
                  shown == null ? found.seen() : shown.seen(),
                  value == null ? null : WeakCacheFixture.payload(value),
                  null);
            },
            fixture.deadline(Duration.ofSeconds(3)))
        .whenComplete((outcome, failure) -> ended(writer, outcome, failure));
  }

  private void ended(
      String writer, @Nullable WriteOutcome<Void> outcome, @Nullable Throwable failure) {
    if (failure != null) {
      violations.add("failed: " + writer + " " + failure);
    } else if (outcome instanceof WriteOutcome.Applied<Void>) {
      acknowledged.add(writer);
    } else if (outcome instanceof WriteOutcome.Unknown<Void>) {
      unknown++;
    } else if (dots.containsKey(writer)) {
      violations.add("refused, and yet written: " + writer);
    }
  }

  private static Set<String> values(Siblings<Payload> found) {
    Set<String> values = new TreeSet<>();
    found.values().forEach(value -> values.add(WeakCacheFixture.text(value)));
    return values;
  }

  /** The violations, with those of the final state. */
  List<String> judge() {
    Set<String> alive = new TreeSet<>();
    for (String key : List.of("k", "l")) {
      List<Siblings<Payload>> ends = new ArrayList<>();
      for (FakeSiteMemory site : fixture.sites) {
        var entry = site.entries.get(key(key));
        ends.add(entry == null ? Siblings.none() : siblings(entry.value()));
      }
      if (ends.stream().distinct().count() > 1) {
        violations.add("sites differ: " + ends);
      }
      alive.addAll(values(ends.get(0)));
    }
    Set<String> replaced = new TreeSet<>();
    tookPlaceOf.values().forEach(replaced::addAll);
    boolean bounded = dropped() > 0;
    for (String value : acknowledged) {
      boolean gone = !value.startsWith("removal") && !alive.contains(value);
      if (gone && !replaced.contains(value) && !forgotten.contains(value) && !bounded) {
        violations.add("lost: " + value);
      }
      for (String former : lastTookPlaceOf.get(value)) {
        if (alive.contains(former) && !mayReturn.contains(former)) {
          violations.add("came back: " + former + " whose place took " + value);
        }
      }
    }
    return violations;
  }

  int unknown() {
    return unknown;
  }

  int dropped() {
    return clients.stream().mapToInt(client -> client.siblingsDropped).sum();
  }

  int mostSiblings() {
    return fixture.sites.stream()
        .flatMap(site -> site.entries.values().stream())
        .mapToInt(entry -> siblings(entry.value()).alive().size())
        .max()
        .orElse(0);
  }
}
