package io.ensemble.cli.wan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.cli.wan.WanScript.Cut;
import io.ensemble.cli.wan.WanScript.HostCommand;
import io.ensemble.testkit.wan.PathProfile;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WanScriptTest {

  @Test
  void aFileIsALineForEachStatement() {
    String file =
        """
        # Three sites.
        latency 50ms
        bandwidth 10mbit
          loss 0.5%

        pair lyon-oslo 80ms 5mbit
        cut oslo-rome
        host lyon server --name 'a b' # 1
        host oslo
        host rome client one
        host rome client two
        """;

    WanScript script = WanScript.read(WanScript.statements(file), 7);

    assertThat(script.plan().hosts()).containsExactly("lyon", "oslo", "rome");
    assertThat(script.plan().seed()).isEqualTo(7);
    assertThat(script.plan().between("rome", "lyon"))
        .isEqualTo(new PathProfile(Duration.ofMillis(50), 10_000_000, 0.005));
    assertThat(script.plan().between("oslo", "lyon"))
        .isEqualTo(new PathProfile(Duration.ofMillis(80), 5_000_000, 0.005));
    assertThat(script.cuts()).containsExactly(new Cut("oslo", "rome", false));
    assertThat(script.commands())
        .containsExactly(
            new HostCommand("lyon", "server --name 'a b' # 1"),
            new HostCommand("rome", "client one"),
            new HostCommand("rome", "client two"));
  }

  @Test
  void whatIsSaidLaterWins() {
    WanScript script =
        WanScript.read(
            List.of("pair a-b 5mbit", "latency 50ms", "latency 30ms", "host a", "host b"), 1);

    assertThat(script.plan().everywhere()).isEqualTo(PathProfile.of(Duration.ofMillis(30)));
    assertThat(script.plan().between("a", "b"))
        .isEqualTo(new PathProfile(Duration.ofMillis(30), 5_000_000, 0));
  }

  @Test
  void aPairTakesItsPartsWithCommasToo() {
    WanScript script = WanScript.read(List.of("pair a-b 80ms,5mbit,1%", "host a", "host b"), 1);

    assertThat(script.plan().between("a", "b"))
        .isEqualTo(new PathProfile(Duration.ofMillis(80), 5_000_000, 0.01));
  }

  @Test
  void aCutCanBeOfOneWay() {
    assertThat(WanScript.cut("a>b")).isEqualTo(new Cut("a", "b", true)).hasToString("a>b");
    assertThat(WanScript.cut("a-b")).isEqualTo(new Cut("a", "b", false)).hasToString("a-b");
  }

  @ParameterizedTest
  @CsvSource({
    "latency 50, 500ms",
    "latency 50ms 10mbit, no further argument after",
    "latency 11s, round trip must be in",
    "bandwidth 10, 10mbit",
    "bandwidth 50ms, 10mbit",
    "bandwidth 1kbit, at least 10 kbit/s",
    "loss 1, percentage",
    "loss 100%, loss must be in",
    "loss x%, percentage",
    "pair lyon-oslo, a profile",
    "pair lyon>oslo 80ms, a profile",
    "pair lyon-oslo 80, 500ms",
    "pair lyon-lyon 80ms, two hosts",
    "pair lyon-bern 80ms, no such hosts",
    "cut lyon, A-B",
    "cut lyon-bern, no such hosts",
    "host a.b, letters and digits",
    "host Lyon, twice",
    "distance 50ms, requires host",
    "latency, requires a keyword",
  })
  void aMistakeIsToldByItsStatement(String statement, String told) {
    assertThatThrownBy(() -> WanScript.read(List.of("host lyon", "host oslo", statement), 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(told);
  }

  @Test
  void hostsAreNeeded() {
    assertThatThrownBy(() -> WanScript.read(List.of("latency 50ms"), 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("number of hosts must be in [1, 64]");
  }
}
