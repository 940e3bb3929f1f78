package io.ensemble.testkit.wan;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ensemble.testkit.process.child.JavaProgram;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Uses real network namespaces; skipped if the machine does not allow them. */
@Timeout(120)
class EmulatedWanIT {

  private static final Duration ROUND_TRIP = Duration.ofMillis(20);

  @BeforeAll
  static void wantsPrivileges() {
    assumeTrue(EmulatedWan.missing().isEmpty(), () -> EmulatedWan.missing().orElse(""));
  }

  @Test
  void aRoundTripOfTcpTakesAsLongAsAsked() throws Exception {
    try (EmulatedWan wan = EmulatedWan.start(plan());
        TcpEchoConnection talk = TcpEchoConnection.between(wan, "lyon", "oslo")) {
      assertThat(talk.roundTrip())
          .hasValueSatisfying(
              nanos -> assertThat(nanos).isGreaterThanOrEqualTo(ROUND_TRIP.toNanos()));
      assertThat(wan.measure().pairs())
          .singleElement()
          .satisfies(
              pair -> {
                assertThat(pair.roundTripP50Millis()).isGreaterThanOrEqualTo(20.0);
                assertThat(pair.wantedRoundTripMillis()).isEqualTo(20.0);
              });
    }
  }

  @Test
  void aCutSilencesAndAMendLetsTcpGoOn() throws Exception {
    try (EmulatedWan wan = EmulatedWan.start(plan());
        TcpEchoConnection talk = TcpEchoConnection.between(wan, "lyon", "oslo")) {
      assertThat(talk.roundTrip()).isNotEmpty();

      wan.cut("oslo", "lyon");
      assertThat(talk.roundTripOverCut()).isEmpty();

      wan.heal("lyon", "oslo");
      assertThat(talk.answerToWhatWasAsked()).isNotEmpty();
    }
  }

  @Test
  void oneWayCutsAreOfOneWay() throws Exception {
    try (EmulatedWan wan = EmulatedWan.start(plan());
        TcpEchoConnection talk = TcpEchoConnection.between(wan, "lyon", "oslo")) {
      assertThat(talk.roundTrip()).isNotEmpty();

      wan.cutOneWay("oslo", "lyon");
      assertThat(talk.roundTripOverCut()).isEmpty();
      assertThat(talk.heardThere(2)).isTrue();
    }
  }

  @Test
  void theKernelsWireCutsByNft() throws Exception {
    assumeTrue(WanRequirements.tool("nft", "nftables").isEmpty(), "no nft");
    // Without a delay, so that netem is not needed.
    WanPlan near = WanPlan.of(PathProfile.NONE, "lyon", "oslo", "rome");
    try (EmulatedWan wan = EmulatedWan.start(near, true);
        TcpEchoConnection talk = TcpEchoConnection.between(wan, "lyon", "oslo")) {
      assertThat(talk.roundTrip()).isNotEmpty();

      wan.cutOneWay("oslo", "lyon");
      wan.cut("lyon", "rome");
      assertThat(talk.roundTripOverCut()).isEmpty();
      assertThat(talk.heardThere(2)).isTrue();

      wan.heal("lyon", "oslo");
      assertThat(talk.answerToWhatWasAsked()).isNotEmpty();
    }
  }

  @Test
  void hostsKnowEachOtherByName() throws Exception {
    try (EmulatedWan wan = EmulatedWan.start(plan())) {
      Process process = wan.process("oslo", "getent", "hosts", "lyon").start();

      assertThat(new String(process.getInputStream().readAllBytes(), UTF_8))
          .startsWith(wan.address("lyon"));
      assertThat(process.waitFor()).isZero();
    }
  }

  @Test
  void closingEndsProcessesAndRemovesHosts() throws Exception {
    Process process;
    try (EmulatedWan wan = EmulatedWan.start(plan())) {
      process = wan.process("lyon", "sh", "-c", "trap '' TERM; echo up; tail -f /dev/null").start();
      assertThat(process.inputReader(UTF_8).readLine()).isEqualTo("up");
      assertThat(namespacesOf(ProcessHandle.current().pid())).hasSize(2);
    }

    assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
    assertThat(namespacesOf(ProcessHandle.current().pid())).isEmpty();
  }

  @Test
  void whatAKilledOwnerLeavesIsGoneAfterTheNextStartAndThatOfALivingOneStays() throws Exception {
    Process killed = owner();
    Process living = owner();
    try (var killedSays = killed.inputReader(UTF_8);
        var livingSays = living.inputReader(UTF_8)) {
      long inKilled = Long.parseLong(killedSays.readLine());
      assertThat(livingSays.readLine()).isNotNull();
      ProcessHandle left = ProcessHandle.of(inKilled).orElseThrow();

      killed.destroyForcibly().waitFor();
      EmulatedWan.start(plan()).close();

      left.onExit().get(20, TimeUnit.SECONDS);
      assertThat(namespacesOf(killed.pid())).isEmpty();
      assertThat(namespacesOf(living.pid())).hasSize(2);
    } finally {
      living.destroy();
      living.waitFor();
    }
    assertThat(namespacesOf(living.pid())).isEmpty();
  }

  @Test
  void onlyHostsOfThePlanAreKnown() {
    try (EmulatedWan wan = EmulatedWan.start(plan())) {
      assertThatThrownBy(() -> wan.address("rome"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("rome");
    }
  }

  private static WanPlan plan() {
    return WanPlan.of(PathProfile.of(ROUND_TRIP), "lyon", "oslo");
  }

  private static Process owner() throws IOException {
    return JavaProgram.ofThisProcess(Owner.class.getName(), "-Xmx64m").process().start();
  }

  private static List<NetworkNamespace> namespacesOf(long pid) {
    Predicate<String> ours =
        name -> EmulationId.of(name).filter(run -> run.pid() == pid).isPresent();
    return NetworkNamespace.existing(ours);
  }

  /** Starts an emulation with a process in it, prints its process id, and waits. */
  static final class Owner {

    private Owner() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
      EmulatedWan wan = EmulatedWan.start(plan());
      Process inside = wan.process("oslo", "tail", "-f", "/dev/null").start();
      System.out.println(inside.pid());
      inside.waitFor();
    }
  }
}
