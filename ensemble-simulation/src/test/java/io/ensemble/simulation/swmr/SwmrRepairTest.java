package io.ensemble.simulation.swmr;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.WriteOutcome;
import io.ensemble.cache.Payload;
import io.ensemble.cache.SiteRepair.MissedKeyCount;
import io.ensemble.cache.swmr.OpenSwmrCache;
import io.ensemble.schedule.Deadline;
import io.ensemble.simulation.Fault;
import io.ensemble.simulation.Fault.LostState;
import io.ensemble.simulation.SimClient;
import io.ensemble.simulation.SimFederation;
import io.ensemble.site.Bytes;
import io.ensemble.testkit.mwmr.HistoryPayloads;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A site of an SWMR cache that was unreachable and kept its store receives the missed writes. */
class SwmrRepairTest {

  private static final int KEYS = 20;

  private final SimFederation federation = SimFederation.builder().clients(0).seed(5).build();
  private final SwmrSimCache scene = new SwmrSimCache(federation);
  private final SimClient client = federation.newClient();
  private final OpenSwmrCache cache = scene.open(client);

  private Deadline in(long seconds) {
    return Deadline.after(Duration.ofSeconds(seconds), client.scheduler());
  }

  private void write(String key, Payload value) {
    assertThat(scene.get(cache.write(HistoryPayloads.key(key), value, in(20))))
        .isInstanceOf(WriteOutcome.Applied.class);
  }

  private void pass(int seconds) {
    federation.run(Duration.ofSeconds(seconds));
  }

  private Map<Bytes, Bytes> contents(String site) {
    Map<Bytes, Bytes> found = new HashMap<>();
    federation
        .contents(site, scene.stored().store(site).orElseThrow())
        .orElseThrow()
        .forEach((key, entry) -> found.put(key, entry.value()));
    return found;
  }

  /** The keys whose entries differ between oslo and rome. */
  private Set<Bytes> behind() {
    Set<Map.Entry<Bytes, Bytes>> there = new HashSet<>(contents("oslo").entrySet());
    there.removeAll(contents("rome").entrySet());
    Set<Bytes> keys = new HashSet<>();
    there.forEach(entry -> keys.add(entry.getKey()));
    return keys;
  }

  private int missAtRome() {
    for (int i = 0; i < KEYS; i++) {
      write("k" + i, HistoryPayloads.payload(i));
    }
    pass(5);
    federation.inject(new Fault.SiteDown("rome", LostState.REQUESTS));
    for (int i = 0; i < KEYS; i += 2) {
      write("k" + i, HistoryPayloads.payload(100 + i));
    }
    write("new", HistoryPayloads.payload(7));
    write("k1", null);
    pass(10);
    federation.inject(new Fault.SiteUp("rome"));
    pass(10);
    return KEYS / 2 + 2;
  }

  private void nothingIsOther(OpenSwmrCache by) {
    for (int i = 0; i < KEYS; i++) {
      Long wanted = i == 1 ? null : i % 2 == 0 ? 100L + i : i;
      assertThat(HistoryPayloads.number(scene.get(by.read(HistoryPayloads.key("k" + i), in(20)))))
          .as("k" + i)
          .isEqualTo(wanted);
    }
  }

  /** The number of sites may exceed the number of bits of a long. */
  @Test
  void whatOneOfManySitesMissedIsNotTakenForAnothers() {
    String[] names = IntStream.range(0, 70).mapToObj(i -> "s" + i).toArray(String[]::new);
    SimFederation many = SimFederation.builder().sites(names).clients(0).seed(3).build();
    SwmrSimCache wide = new SwmrSimCache(many);
    SimClient writer = many.newClient();
    OpenSwmrCache by = wide.open(writer);
    many.inject(new Fault.SiteDown("s69", LostState.REQUESTS));

    Deadline deadline = Deadline.after(Duration.ofSeconds(20), writer.scheduler());
    wide.get(by.write(HistoryPayloads.key("k"), HistoryPayloads.payload(1), deadline));
    many.run(Duration.ofSeconds(10));

    assertThat(names)
        .filteredOn(site -> by.siteRepair().missed(site).keys() > 0)
        .containsExactly("s69");
  }

  @Test
  void whatWasWrittenMeanwhileIsRememberedAndBrought() {
    int lacks = missAtRome();
    assertThat(behind()).hasSizeGreaterThanOrEqualTo(lacks);
    assertThat(cache.siteRepair().missed("rome")).isEqualTo(new MissedKeyCount(lacks, false));
    assertThat(cache.siteRepair().canRepair()).isTrue();

    assertThat(scene.get(cache.siteRepair().repair("rome", in(60)))).isEqualTo(lacks);

    pass(5);
    assertThat(cache.siteRepair().missed("rome")).isEqualTo(new MissedKeyCount(0, false));
    assertThat(scene.get(cache.siteRepair().compare("rome", 1_000, in(60)))).isZero();
    nothingIsOther(cache);
    scene.get(cache.promote("rome", in(60)));
    nothingIsOther(cache);
  }

  @Test
  void aComparisonBringsItWithoutAnyMemoryOfIt() {
    long lacks = missAtRome();

    long brought = scene.get(cache.siteRepair().compare("rome", 1_000, in(60)));

    assertThat(brought).as("a walk may meet again what it has changed").isBetween(lacks, 2 * lacks);
    pass(5);
    assertThat(cache.siteRepair().missed("rome")).isEqualTo(new MissedKeyCount(0, false));
    assertThat(scene.get(cache.siteRepair().compare("rome", 1_000, in(60)))).isZero();
    nothingIsOther(scene.open(federation.newClient()));
  }

  @Test
  void whoeverIsNotTheWriterLeavesItAlone() {
    missAtRome();
    OpenSwmrCache reader = scene.open(federation.newClient());
    nothingIsOther(reader);

    assertThat(reader.siteRepair().canRepair()).isFalse();
    assertThat(reader.siteRepair().missed("rome")).isEqualTo(new MissedKeyCount(0, false));
  }
}
