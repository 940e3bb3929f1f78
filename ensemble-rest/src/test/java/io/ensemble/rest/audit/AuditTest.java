package io.ensemble.rest.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.ProblemType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.StreamHandler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("reads what the whole process logs")
class AuditTest {

  /** A disk that may be full, or slow. */
  private static final class Disk implements AuditSink {

    final List<String> lines = new CopyOnWriteArrayList<>();
    final List<String> threads = new CopyOnWriteArrayList<>();
    final CountDownLatch goOn;
    volatile boolean full;
    volatile boolean closed;

    Disk() {
      this(0);
    }

    Disk(int stops) {
      goOn = new CountDownLatch(stops);
    }

    @Override
    public synchronized void write(String line) throws IOException {
      threads.add(Thread.currentThread().getName());
      try {
        goOn.await();
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
      if (full) {
        throw new IOException("no space left");
      }
      lines.add(line);
    }

    /** Waits for a write, as that of a file does. */
    @Override
    public synchronized void close() {
      closed = true;
    }
  }

  @Test
  void aFullFileIsRolledAndTheOldestGoes(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("audit");
    try (AuditFile audit = new AuditFile(file, 10, 3)) {
      for (String line :
          List.of("aaaa", "bbbb", "cccc", "dddd", "eeee", "ffff", "gggg", "x".repeat(20))) {
        audit.write(line);
      }
    }

    assertThat(Files.readString(file)).isEqualTo("x".repeat(20) + "\n");
    assertThat(Files.readString(directory.resolve("audit.1"))).isEqualTo("gggg\n");
    assertThat(Files.readString(directory.resolve("audit.2"))).isEqualTo("eeee\nffff\n");
    assertThat(Files.exists(directory.resolve("audit.3"))).isFalse();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
  }

  /** Two services write to one file; neither overwrites a file that the other has rotated. */
  @Test
  void twoThatWriteToOneFileLoseNoLine(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("audit");
    try (AuditFile one = new AuditFile(file, 15, 4);
        AuditFile other = new AuditFile(file, 15, 4)) {
      for (int i = 0; i < 10; i++) {
        one.write("one" + i);
        other.write("two" + i);
      }
    }

    assertThat(Files.readString(file)).isEqualTo("one9\ntwo9\n");
    assertThat(Files.readString(directory.resolve("audit.1"))).isEqualTo("two7\none8\ntwo8\n");
    assertThat(Files.readString(directory.resolve("audit.2"))).isEqualTo("one6\ntwo6\none7\n");
    assertThat(Files.readString(directory.resolve("audit.3"))).isEqualTo("two4\none5\ntwo5\n");
  }

  @Test
  void aFileThatSomebodyPutInItsPlaceIsWrittenTo(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("audit");
    try (AuditFile audit = new AuditFile(file, 1000, 2)) {
      audit.write("a");
      Files.move(file, directory.resolve("theirs"));
      Files.createFile(file);

      audit.write("b");
    }

    assertThat(Files.readString(directory.resolve("theirs"))).isEqualTo("a\n");
    assertThat(Files.readString(file)).isEqualTo("b\n");
  }

  /** A full disk leaves such a line, whichever service was writing. */
  @Test
  void aTornLineStaysOneOfItsOwn(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("audit");
    try (AuditFile audit = new AuditFile(file, 1000, 2)) {
      audit.write("a");
      Files.writeString(file, "{\"torn", StandardOpenOption.APPEND);

      audit.write("b");
    }

    assertThat(Files.readAllLines(file)).containsExactly("a", "{\"torn", "b");
  }

  /** A logger that is off would drop the lines of the audit. */
  @Test
  void nothingIsChangedWhileTheLogIsOff() {
    java.util.logging.Logger logger = java.util.logging.Logger.getLogger(AuditLog.NAME);
    Level before = logger.getLevel();
    logger.setLevel(Level.OFF);
    try {
      Audit audit = new Audit(new AuditLog(), System::nanoTime);
      join(audit.recordAuthenticated(Map.of("action", "putEntry")));
      assertThatThrownBy(() -> join(audit.checkWritable())).isInstanceOf(ProblemException.class);

      logger.setLevel(Level.INFO);
      join(audit.checkWritable());
    } finally {
      logger.setLevel(before);
    }
  }

  @Test
  void nothingIsChangedWhileNobodyCouldBeToldOfIt() {
    Disk disk = new Disk();
    Audit audit = new Audit(disk, System::nanoTime);
    join(audit.checkWritable());
    disk.full = true;

    List<String> logged = // The change was already made.
        logged(() -> join(audit.recordAuthenticated(Map.of("action", "putEntry"))));

    assertThat(logged).singleElement().asString().contains("{\"action\":\"putEntry\"}");
    assertThatThrownBy(() -> join(audit.checkWritable()))
        .isInstanceOfSatisfying(
            ProblemException.class,
            refused -> assertThat(refused.problem().type()).isEqualTo(ProblemType.NOT_READY));
    disk.full = false;
    join(audit.checkWritable());
    assertThat(disk.lines).singleElement().asString().contains("is written again");
  }

  @Test
  void unauthenticatedCallersHaveAFewLinesASecondAndTheOthersAreCounted() {
    Disk disk = new Disk();
    AtomicLong time = new AtomicLong(5_000_000_000L);
    Audit audit = new Audit(disk, time::get);

    for (int i = 0; i < 100; i++) {
      join(audit.recordAnonymous(new HashMap<>(Map.of("action", "getEntry"))));
    }
    assertThat(disk.lines).hasSize(Audit.UNAUTHENTICATED_PER_SECOND);
    time.addAndGet(1_000_000_000L);
    join(audit.recordAnonymous(new HashMap<>(Map.of("action", "getEntry"))));

    assertThat(disk.lines.get(disk.lines.size() - 1)).contains("\"omitted\":90");
  }

  /**
   * A request is answered when its line is written; the thread that completes it writes nothing.
   */
  @Test
  void aSlowDiskHoldsNoThreadOfARequest() {
    Disk disk = new Disk(1);
    try (Audit audit = new Audit(disk, System::nanoTime)) {
      CompletionStage<Void> recorded = audit.recordAuthenticated(Map.of("action", "putEntry"));
      boolean wasDone = recorded.toCompletableFuture().isDone();
      CompletionStage<Void> mayBegin = audit.checkWritable();
      disk.goOn.countDown();

      join(recorded);

      assertThat(wasDone).isFalse();
      assertThat(mayBegin).isCompleted();
      assertThat(disk.lines).singleElement().asString().contains("putEntry");
      assertThat(disk.threads).containsExactly("ensemble-rest-audit");
    }
  }

  @Test
  void aLineThatWaitsTooLongIsLoggedAndNothingIsChangedUntilTheDiskAnswers() {
    Disk disk = new Disk(1);
    try (Audit audit = new Audit(disk, System::nanoTime, Duration.ofMillis(50))) {
      List<String> logged =
          logged(
              () -> {
                join(audit.recordAuthenticated(Map.of("action", "putEntry")));
                join(audit.recordAuthenticated(Map.of("action", "removeEntry")));
              });

      assertThat(logged).hasSize(2).allMatch(line -> line.contains("50 ms"));
      assertThatThrownBy(() -> join(audit.checkWritable())).isInstanceOf(ProblemException.class);
      disk.goOn.countDown();
      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(
              () -> assertThatCode(() -> join(audit.checkWritable())).doesNotThrowAnyException());
      assertThat(disk.lines).noneMatch(line -> line.contains("removeEntry"));
    }
  }

  /** Otherwise, changes would take the places of reads while the disk hangs. */
  @Test
  void whileTheDiskHangsNoFurtherRequestWaits() {
    Disk disk = new Disk(1);
    try (Audit audit = new Audit(disk, System::nanoTime, Duration.ofMillis(50))) {
      try {
        join(audit.recordAuthenticated(Map.of("action", "putEntry")));
        await()
            .atMost(Duration.ofSeconds(60))
            .until(
                () ->
                    audit
                        .recordAuthenticated(Map.of("action", "removeEntry"))
                        .toCompletableFuture()
                        .isDone());
        assertThat(audit.checkWritable()).isCompletedExceptionally();
      } finally {
        disk.goOn.countDown();
      }

      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(
              () -> assertThatCode(() -> join(audit.checkWritable())).doesNotThrowAnyException());
    }
  }

  @Test
  void aDiskThatHangsKeepsNoServiceFromEndingAndNoLineIsLost() {
    Disk disk = new Disk(1);
    Audit audit = new Audit(disk, System::nanoTime, Duration.ofMillis(50));
    List<CompletionStage<Void>> recorded = new ArrayList<>();
    List<String> logged =
        logged(
            () -> {
              recorded.add(audit.recordAuthenticated(Map.of("action", "putEntry")));
              recorded.add(audit.recordAuthenticated(Map.of("action", "removeEntry")));
              CompletableFuture.runAsync(audit::close).orTimeout(60, TimeUnit.SECONDS).join();
            });

    assertThat(logged).anyMatch(line -> line.contains("putEntry"));
    assertThat(logged).anyMatch(line -> line.contains("removeEntry"));
    assertThat(recorded).allMatch(line -> line.toCompletableFuture().isDone());
    assertThat(disk.closed).isFalse();
    disk.goOn.countDown();
    await().atMost(Duration.ofSeconds(60)).until(() -> disk.closed);
  }

  @Test
  void moreLinesThanMayWaitAreLogged() {
    Disk disk = new Disk(1);
    List<CompletionStage<Void>> recorded = new ArrayList<>();
    try (Audit audit = new Audit(disk, System::nanoTime, Duration.ofSeconds(60))) {
      List<String> logged =
          logged(
              () -> {
                for (int i = 0; i < Audit.MAX_WAITING + 10; i++) {
                  recorded.add(audit.recordAuthenticated(Map.of("action", "putEntry")));
                }
              });
      disk.goOn.countDown();

      recorded.forEach(AuditTest::join);

      assertThat(logged.size()).isBetween(9, 10); // One line may be on its way to the disk.
      assertThat(disk.lines).hasSize(Audit.MAX_WAITING + 10 - logged.size());
    }
  }

  private static void join(CompletionStage<Void> stage) {
    try {
      stage.toCompletableFuture().join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof ProblemException refused ? refused : e;
    }
  }

  private static List<String> logged(Runnable work) {
    List<String> logged = new CopyOnWriteArrayList<>();
    Handler log =
        new StreamHandler() {
          @Override
          public void publish(LogRecord line) {
            logged.add(line.getMessage());
          }
        };
    java.util.logging.Logger logger = java.util.logging.Logger.getLogger(Audit.class.getName());
    logger.addHandler(log);
    try {
      work.run();
    } finally {
      logger.removeHandler(log);
    }
    return logged;
  }
}
