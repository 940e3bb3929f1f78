package io.ensemble.objects.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.objects.protocol.SessionExplorer.Report;
import io.ensemble.objects.protocol.SessionWorld.Bug;
import io.ensemble.objects.protocol.SessionWorld.Scenario;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Explores interleavings of the session protocol, which must be correct, and of planted bugs, which
 * must be found.
 */
@Execution(ExecutionMode.CONCURRENT)
class SessionExplorerTest {

  private static final boolean DEEP = Boolean.getBoolean("ensemble.deep");
  private static final int GATE_SEEDS = 1_500;
  private static final int FEW_OR_MORE = DEEP ? 2 : 1;
  private static final ProtocolSettings SMALL = ProtocolSettings.DEFAULT;
  private static final ProtocolSettings STORED =
      ProtocolSettings.DEFAULT.inlineBytes(3).tailBytes(3);
  private static final ProtocolSettings SHARED = ProtocolSettings.DEFAULT.loneSteps(1);
  private static final ProtocolSettings FEW = ProtocolSettings.DEFAULT.members(1);

  static List<Scenario> exhausted() {
    return List.of(
        new Scenario(
            "two calls, faults", List.of(List.of("a"), List.of("b")), FEW_OR_MORE, 0, 0, SMALL),
        new Scenario(
            "calls in a row", List.of(List.of("a", "b"), List.of("c")), DEEP ? 1 : 0, 1, 0, SMALL),
        new Scenario("two calls, a death", List.of(List.of("a"), List.of("b")), 0, 1, 0, SMALL),
        new Scenario(
            "a call and a read", List.of(List.of("a"), List.of("?")), FEW_OR_MORE, 0, 1, SMALL),
        new Scenario(
            "two calls, events", List.of(List.of("a"), List.of("b")), 0, 0, FEW_OR_MORE, SMALL),
        new Scenario("two stored", List.of(List.of("aaaa", "b"), List.of("?")), 1, 0, 0, STORED),
        new Scenario("one stored", List.of(List.of("aaaa", "b", "cc")), 1, 0, 0, STORED),
        new Scenario("one forgotten", List.of(List.of("a", "c"), List.of("b")), 0, 0, 0, FEW));
  }

  /** Larger ones. The gate takes random walks through similar ones. */
  static List<Scenario> exhaustedAtNight() {
    return List.of(
        new Scenario(
            "a shared mailbox",
            List.of(List.of("a", "b"), List.of("c")),
            FEW_OR_MORE,
            0,
            DEEP ? 1 : 0,
            0,
            0,
            SHARED),
        new Scenario(
            "reads beside calls",
            List.of(List.of("a", "?", "?"), List.of("b")),
            2,
            0,
            0,
            0,
            0,
            SMALL),
        new Scenario(
            "reads beside calls, faults",
            List.of(List.of("a", "?"), List.of("b")),
            2,
            1,
            0,
            0,
            0,
            SMALL));
  }

  static List<Scenario> walked() {
    return List.of(
        new Scenario(
            "reads among events",
            List.of(List.of("a", "b", "c"), List.of("?", "?", "?")),
            0,
            0,
            5,
            SMALL),
        new Scenario(
            "three sessions",
            List.of(
                List.of("a", "b", "?", "c"), List.of("d", "?", "e", "f"), List.of("g", "h", "?")),
            3,
            1,
            6,
            SMALL),
        new Scenario(
            "three sessions, three callers each",
            List.of(
                List.of("a", "?", "b", "?", "c", "?", "?"),
                List.of("d", "e", "?", "?", "f", "?"),
                List.of("g", "?", "h", "i", "?")),
            3,
            3,
            1,
            4,
            0,
            SMALL),
        new Scenario(
            "three sessions, two callers each, stored",
            List.of(
                List.of("aaaa", "?", "b", "c", "?", "d", "e", "?"),
                List.of("f", "?", "g", "h", "?", "i"),
                List.of("?", "j", "?", "k", "l", "?")),
            2,
            3,
            1,
            4,
            0,
            STORED),
        new Scenario(
            "three sessions, stored",
            List.of(
                List.of("aaaa", "?", "b", "c", "?", "d", "e", "?"),
                List.of("f", "?", "g", "h", "?", "i"),
                List.of("?", "j", "?", "k", "l", "?")),
            3,
            1,
            8,
            STORED),
        new Scenario(
            "steps that are lost",
            List.of(List.of("a", "b", "c"), List.of("d", "e", "f"), List.of("g", "h", "i")),
            2,
            0,
            4,
            3,
            SMALL),
        new Scenario(
            "steps that are lost, stored",
            List.of(
                List.of("aaaa", "b", "c", "d"),
                List.of("e", "f", "g", "h"),
                List.of("i", "j", "k", "l")),
            2,
            0,
            4,
            4,
            STORED),
        new Scenario(
            "three sessions, a shared mailbox",
            List.of(
                List.of("a", "b", "c", "d", "e"),
                List.of("f", "?", "g", "h", "i"),
                List.of("j", "k", "l")),
            2,
            4,
            1,
            0,
            0,
            SHARED),
        new Scenario(
            "more sessions than are remembered",
            List.of(List.of("a", "b", "c"), List.of("d", "e", "f"), List.of("g", "h", "?")),
            3,
            1,
            6,
            ProtocolSettings.DEFAULT.members(2)),
        new Scenario(
            "more sessions than are remembered, stored",
            List.of(List.of("aaaa", "b", "c"), List.of("d", "e", "f"), List.of("g", "h", "?")),
            3,
            1,
            6,
            STORED.members(2)));
  }

  @ParameterizedTest
  @MethodSource("exhausted")
  void nothingGoesWrongInAnyOrder(Scenario scenario) {
    Report report = SessionExplorer.all(scenario, Bug.NONE, DEEP ? 20_000_000 : 3_000_000);

    assertThat(report.violation()).isEmpty();
    assertThat(report.complete()).as("%s", report).isTrue();
  }

  @ParameterizedTest
  @MethodSource("exhaustedAtNight")
  @Tag("nightly")
  void nothingGoesWrongInAnyOrderOfLargerScenarios(Scenario scenario) {
    nothingGoesWrongInAnyOrder(scenario);
  }

  @ParameterizedTest
  @MethodSource("walked")
  void nothingGoesWrongAtRandom(Scenario scenario) {
    requireNothingWrong(SessionExplorer.walks(scenario, Bug.NONE, GATE_SEEDS, 600));
  }

  @ParameterizedTest
  @MethodSource("walked")
  @Tag("nightly")
  void nothingGoesWrongAtRandomWithMoreSeeds(Scenario scenario) {
    int seeds = DEEP ? 300_000 : 6_000;
    requireNothingWrong(SessionExplorer.walks(scenario, Bug.NONE, GATE_SEEDS + 1, seeds, 600));
  }

  private static void requireNothingWrong(Report report) {
    assertThat(report.violation()).isEmpty();
    assertThat(report.unended()).isZero();
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void aFaultThatIsPutInIsFound(Bug bug) {
    boolean found =
        walked().stream()
            .anyMatch(s -> SessionExplorer.walks(s, bug, 5_000, 600).violation().isPresent());

    assertThat(found).isTrue();
  }

  @Test
  void theSameSeedIsTheSameRun() {
    Scenario scenario = walked().get(2);

    assertThat(SessionExplorer.walks(scenario, Bug.SKIPS_GAPS, 500, 600))
        .isEqualTo(SessionExplorer.walks(scenario, Bug.SKIPS_GAPS, 500, 600));
  }
}
