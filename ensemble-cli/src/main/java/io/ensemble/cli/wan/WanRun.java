package io.ensemble.cli.wan;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.testkit.wan.EmulatedWan;
import io.ensemble.testkit.wan.WanException;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** Runs processes in hosts, prints their output, and changes the network meanwhile. */
final class WanRun {

  /**
   * A process that has ended.
   *
   * @param host its host
   * @param command its command
   * @param exitCode null if it was stopped with the others
   */
  record ProcessResult(String host, String command, @Nullable Integer exitCode) {}

  private record HostProcess(WanScript.HostCommand what, Process process, List<Thread> pumps) {}

  private final EmulatedWan wan;
  private final PrintWriter out;
  private final PrintWriter err;
  private final CompletableFuture<Void> stop = new CompletableFuture<>();

  WanRun(EmulatedWan wan, PrintWriter out, PrintWriter err) {
    this.wan = wan;
    this.out = out;
    this.err = err;
  }

  /** Runs the commands, until the processes waited for have ended or the user stops the run. */
  List<ProcessResult> run(List<WanScript.HostCommand> commands, List<String> until, boolean live)
      throws IOException, InterruptedException {
    List<HostProcess> running = new ArrayList<>();
    for (WanScript.HostCommand command : commands) {
      running.add(start(command));
    }
    if (live) {
      thread("wan-live", this::executeCommands);
    }
    CompletableFuture<?>[] awaited =
        running.stream()
            .filter(one -> until.isEmpty() || until.contains(one.what().host()))
            .map(one -> one.process().onExit())
            .toArray(CompletableFuture[]::new);
    await(CompletableFuture.anyOf(CompletableFuture.allOf(awaited), stop));
    List<ProcessResult> ended = running.stream().map(WanRun::awaitEnd).toList();
    wan.close();
    for (HostProcess one : running) {
      for (Thread pump : one.pumps()) {
        pump.join();
      }
    }
    return ended;
  }

  private HostProcess start(WanScript.HostCommand command) throws IOException {
    Process process =
        wan.process(command.host(), "sh", "-c", command.command())
            .redirectInput(new File("/dev/null"))
            .start();
    return new HostProcess(
        command,
        process,
        List.of(
            pump(command.host(), process.inputReader(UTF_8), out),
            pump(command.host(), process.errorReader(UTF_8), err)));
  }

  private static ProcessResult awaitEnd(HostProcess one) {
    return new ProcessResult(
        one.what().host(),
        one.what().command(),
        one.process().isAlive() ? null : one.process().exitValue());
  }

  private static void await(CompletableFuture<?> end) throws InterruptedException {
    try {
      end.get();
    } catch (ExecutionException e) {
      throw new AssertionError("the end of a process cannot fail", e);
    }
  }

  private static Thread pump(String host, BufferedReader says, PrintWriter to) {
    return thread(
        "wan-" + host,
        () -> {
          try (says) {
            for (String line = says.readLine(); line != null; line = says.readLine()) {
              synchronized (to) {
                to.println(host + " | " + line);
                to.flush();
              }
            }
          } catch (IOException e) {
            // The process has been killed.
          }
        });
  }

  private static Thread thread(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private void executeCommands() {
    try {
      // Not closed: standard input belongs to the whole program.
      BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        if (line.strip().equals("stop")) {
          stop.complete(null);
          return;
        }
        executeCommands(List.of(line.strip().split("\\s+", -1)));
      }
    } catch (IOException e) {
      // There is no more input.
    }
  }

  private void executeCommands(List<String> words) {
    try {
      if (words.size() != 2 || !(words.get(0).equals("cut") || words.get(0).equals("heal"))) {
        throw new IllegalArgumentException(
            "expected 'cut A-B', 'heal A-B' or 'stop'; got " + words);
      }
      cut(wan, WanScript.cut(words.get(1)), words.get(0).equals("cut"));
      err.println("wan: " + String.join(" ", words));
    } catch (IllegalArgumentException | IllegalStateException | WanException e) {
      err.println("wan: " + e.getMessage());
    }
    err.flush();
  }

  /** Cuts, or ends a cut. */
  static void cut(EmulatedWan wan, WanScript.Cut cut, boolean wanted) {
    if (wanted) {
      wan.cutOneWay(cut.from(), cut.to());
    } else {
      wan.healOneWay(cut.from(), cut.to());
    }
    if (!cut.oneWay()) {
      cut(wan, new WanScript.Cut(cut.to(), cut.from(), true), wanted);
    }
  }
}
