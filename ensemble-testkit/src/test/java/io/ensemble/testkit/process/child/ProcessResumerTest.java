package io.ensemble.testkit.process.child;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** A stopped process resumes when the process that stopped it has ended. */
@EnabledOnOs(OS.LINUX)
@Timeout(180)
class ProcessResumerTest {
  private Process process;

  @BeforeEach
  void start() throws Exception {
    process = new ProcessBuilder("sleep", "300").start();
  }

  @AfterEach
  void end() {
    process.destroyForcibly();
  }

  @Test
  void aStoppedProcessGoesOnWhenItIsClosed() throws Exception {
    ProcessResumer awakener = ProcessResumer.of(process.pid());
    Signals.stop(process.pid());
    assertThat(isStopped()).isTrue();

    awakener.close();

    awaitState(false);
  }

  /** The end of a process closes the pipe, as this test does. The shell must ignore Ctrl-C. */
  @Test
  void itOutlivesATerminalsInterruptAndWakesAtTheEndOfItsStarter() throws Exception {
    Process shell = ProcessResumer.shell(process.pid());
    Signals.stop(process.pid());
    assertThat(isStopped()).isTrue();
    new ProcessBuilder("sh", "-c", "kill -INT " + shell.pid()).start().waitFor();
    assertThat(shell.waitFor(300, TimeUnit.MILLISECONDS)).isFalse();
    awaitState(true);

    shell.getOutputStream().close();

    awaitState(false);
    assertThat(shell.waitFor(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void closingItForAProcessThatHasDiedDoesNoHarm() throws Exception {
    ProcessResumer awakener = ProcessResumer.of(process.pid());
    process.destroyForcibly().waitFor();

    awakener.close();
  }

  private void awaitState(boolean stopped) {
    await("the process is stopped: " + stopped)
        .pollInterval(Duration.ofMillis(10))
        .atMost(Duration.ofMinutes(2))
        .until(() -> isStopped() == stopped);
  }

  private boolean isStopped() throws Exception {
    String stat = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
    return stat.charAt(stat.lastIndexOf(')') + 2) == 'T';
  }
}
