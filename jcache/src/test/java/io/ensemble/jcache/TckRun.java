package io.ensemble.jcache;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.Request;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

/** Runs JCache's published tests in this JVM, against the provider on the class path. */
final class TckRun extends RunListener {

  /** Tests as {@code Class#method}. */
  final Set<String> started = new TreeSet<>();

  final Set<String> excluded = new TreeSet<>();

  /** Tests that a rule of theirs has skipped, because an optional feature is missing. */
  final Set<String> skipped = new TreeSet<>();

  final Map<String, Throwable> failed = new TreeMap<>();

  private String current = "";

  static String name(Description test) {
    return test.getClassName() + "#" + test.getMethodName();
  }

  /**
   * Runs the tests of {@code classes}.
   *
   * @param excludes tests that are not run
   */
  static TckRun of(List<String> classes, Set<String> excludes) throws ClassNotFoundException {
    TckRun run = new TckRun();
    List<Class<?>> types = new ArrayList<>();
    for (String name : classes) {
      types.add(Class.forName(name));
    }
    JUnitCore core = new JUnitCore();
    core.addListener(run);
    Logger rules = Logger.getLogger("org.jsr107.tck");
    Handler skips = run.skips();
    Level level = rules.getLevel();
    rules.setLevel(Level.INFO);
    rules.addHandler(skips);
    rules.setUseParentHandlers(false);
    try {
      core.run(Request.classes(types.toArray(new Class<?>[0])).filterWith(run.without(excludes)));
    } finally {
      rules.setUseParentHandlers(true);
      rules.removeHandler(skips);
      rules.setLevel(level);
    }
    run.started.removeAll(run.skipped);
    return run;
  }

  /** A rule that skips a test reports that to the log only. */
  private Handler skips() {
    return new Handler() {
      @Override
      public void publish(LogRecord line) {
        if (line.getMessage().contains("EXCLUDING TEST")) {
          skipped.add(current);
        }
      }

      @Override
      public void flush() {}

      @Override
      public void close() {}
    };
  }

  /** Whether a test of the class has failed. */
  boolean hasFailureIn(String type) {
    return failed.keySet().stream().anyMatch(test -> test.startsWith(type + "#"));
  }

  private Filter without(Set<String> excludes) {
    return new Filter() {
      @Override
      public boolean shouldRun(Description description) {
        if (!description.isTest()) {
          return true;
        }
        String name = name(description);
        if (!excludes.contains(name)) {
          return true;
        }
        excluded.add(name);
        return false;
      }

      @Override
      public String describe() {
        return "without excluded tests";
      }
    };
  }

  @Override
  public void testStarted(Description test) {
    current = name(test);
    started.add(current);
  }

  @Override
  public void testIgnored(Description test) {
    skipped.add(name(test));
  }

  @Override
  public void testAssumptionFailure(Failure failure) {
    skipped.add(name(failure.getDescription()));
  }

  @Override
  public void testFailure(Failure failure) {
    failed.putIfAbsent(name(failure.getDescription()), failure.getException());
  }
}
