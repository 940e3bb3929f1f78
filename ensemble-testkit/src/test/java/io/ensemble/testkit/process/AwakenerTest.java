package io.ensemble.testkit.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** A process that was stopped goes on when whoever stopped it is no more. */
@EnabledOnOs(OS.LINUX)
@Timeout(60)
class AwakenerTest {
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
    Awakener awakener = Awakener.of(process.pid());
    Signals.stop(process.pid());
    assertThat(isStopped()).isTrue();

    awakener.close();

    awaitState(false);
  }

  /** A death closes the pipe, as this does; a shell that was told to end on Ctrl-C stays for it. */
  @Test
  void itOutlivesATerminalsInterruptAndWakesAtTheEndOfItsStarter() throws Exception {
    Process shell = Awakener.shell(process.pid());
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
    Awakener awakener = Awakener.of(process.pid());
    process.destroyForcibly().waitFor();

    awakener.close();
  }

  private void awaitState(boolean stopped) throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    while (isStopped() != stopped) { // The test's time-out ends it.
      boolean unused = never.await(10, TimeUnit.MILLISECONDS);
    }
  }

  private boolean isStopped() throws Exception {
    String stat = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
    return stat.charAt(stat.lastIndexOf(')') + 2) == 'T';
  }
}
