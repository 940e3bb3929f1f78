package io.ensemble.check.znodes;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.check.process.JsonOutput;
import io.ensemble.check.trial.CallJournal;
import io.ensemble.check.trial.ClientOutcomeCounts;
import io.ensemble.check.trial.PacedClients;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * The program of a client process of ZooFence. It reads its {@link ZooFenceClientSpec}, works as
 * {@link PacedClients} do, and may be killed at any moment: its calls are on disk. At each {@code
 * expire} another client ends the session of one of its clients.
 */
public final class ZooFenceProgram {
  public static final String EXPIRE = "expire";

  private final ZooFenceClientSpec order;
  private final CallJournal journal;
  private final ClientOutcomeCounts tally = new ClientOutcomeCounts();
  private final List<ZnodeClient> clients = new CopyOnWriteArrayList<>();
  private int expired;

  private ZooFenceProgram(ZooFenceClientSpec order, CallJournal journal) {
    this.order = order;
    this.journal = journal;
  }

  /** Runs the program. */
  public static void main(String[] arguments) throws Exception {
    run(System.in, System.out, clients -> {});
    System.exit(0);
  }

  /**
   * Runs the program.
   *
   * @param after receives the clients when the work has ended; the sessions that they have left
   *     open last until they are closed or this process ends
   */
  public static void run(InputStream in, PrintStream out, Consumer<List<ZnodeClient>> after)
      throws IOException, InterruptedException {
    BufferedReader lines = new BufferedReader(new InputStreamReader(in, UTF_8));
    ZooFenceClientSpec order =
        JsonOutput.mapper().readValue(lines.readLine(), ZooFenceClientSpec.class);
    try (CallJournal journal = CallJournal.to(Path.of(order.history()), order.first())) {
      ZooFenceProgram program = new ZooFenceProgram(order, journal);
      try {
        program.work(lines, out);
      } finally {
        after.accept(program.clients);
      }
    }
  }

  private void work(BufferedReader lines, PrintStream out)
      throws IOException, InterruptedException {
    PacedClients.PaceSettings pace =
        new PacedClients.PaceSettings(
            order.clients(), order.seed(), order.first(), order.nanosBetween(), order.operations());
    new PacedClients(pace, tally, out)
        .run(lines, this::client, this::executeCommand, journal, () -> {});
  }

  private PacedClients.Client client() {
    if (order.last()) {
      return new ZnodeFinalReader(order, journal, tally);
    }
    ZnodeClient client = new ZnodeClient(order, journal, tally);
    clients.add(client);
    return client;
  }

  private void executeCommand(String command) {
    if (!command.equals(EXPIRE)) {
      throw new IllegalArgumentException("unknown command for a client process: " + command);
    }
    if (clients.isEmpty()) {
      return;
    }
    ZnodeClient one = clients.get(expired++ % clients.size());
    Thread somebody = new Thread(one::end, "check-somebody");
    somebody.setDaemon(true);
    somebody.start();
  }
}
