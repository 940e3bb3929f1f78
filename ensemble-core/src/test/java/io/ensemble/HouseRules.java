package io.ensemble;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The rules of this project that no other tool checks.
 *
 * <p>Each rule is a pattern that must not occur in the files that it is about. Rules about code see
 * it without comments and string contents, so prose may name forbidden code. Patterns do not see
 * types: they catch common spellings of a mistake, not deliberate evasion.
 */
final class HouseRules {

  /** The files of the libraries that may wait for a future, a latch or a thread. */
  static final Set<String> MAY_WAIT =
      Set.of(
          "atomic-objects/src/main/java/io/ensemble/objects/runtime/BlockingWait.java",
          "ensemble-core/src/main/java/io/ensemble/cache/BlockingCall.java",
          "ensemble-core/src/main/java/io/ensemble/schedule/WaitingThread.java");

  private static final int MOST_FILES = 26;

  /** The package of the public API, which may hold more files than any other package. */
  private static final String API = "ensemble-core/src/main/java/io/ensemble";

  private static final String PURE =
      "ensemble-core/src/main/java/io/ensemble/(stamp|sibling|quorum|register|listen|primary|lease|change|placement|partition|repartition|detect)/.*"
          + "|atomic-objects/src/main/java/io/ensemble/objects/(record|protocol)/.*"
          + "|register-objects/src/main/java/io/ensemble/registers/algorithm/.*"
          + "|shared-tree/src/main/java/io/ensemble/tree/state/.*"
          + "|ensemble-check/src/main/java/io/ensemble/check/(doctor|capacity|diagnostics)/.*";

  /** The brackets keep the pattern from matching this file. */
  private static final Pattern DEEP_FORM =
      Pattern.compile("@Tag\\(\"dee[p]\"\\)|\"ensemble\\.dee[p]\"");

  /** The tests of a part, such as {@code sites=DurabilityIT,NodesIT}. */
  private static final Pattern PART = Pattern.compile("(?m)^[a-z_]+=([A-Z]\\w*(?:,\\w+)*)$");

  private static final Set<String> UNSEEN_DIRECTORIES = Set.of("target", "node_modules");
  private static final Set<String> SEEN_HIDDEN_DIRECTORIES = Set.of(".ci", ".mvn", ".github");
  private static final long LARGEST_TEXT_BYTES = 1 << 20;

  private static final Pattern COMMENT_OR_LITERAL =
      Pattern.compile(
          "(?s)\"\"\".*?\"\"\"|\"(?:[^\"\\\\\n]++|\\\\.)*+\"|'(?:[^'\\\\\n]|\\\\[^\n]{1,6})'"
              + "|//[^\n]*|/\\*.*?\\*/");

  private static final List<Rule> RULES =
      List.of(
          Rule.code(
              "a pure package knows no Infinispan, network or adapter",
              PURE,
              "\\borg\\.infinispan\\b|\\bjava\\.net\\b|\\bjava\\.nio\\.channels\\b"
                  + "|\\bio\\.ensemble\\.(site|cache|catalog|manager|membership|maintenance|distribution|reconfiguration|redundancy|migrate)\\b"
                  + "|\\bio\\.ensemble\\.objects\\.(store|runtime|proxy|value)\\b"),
          Rule.code(
              "a pure package knows no thread, executor or future",
              PURE,
              "\\b(Thread|ThreadFactory|\\w*Executor\\w*|\\w*Future|ForkJoin\\w+|CompletionStage"
                  + "|CountDownLatch|Timer)\\b"),
          Rule.code(
              "a pure package is given its time",
              PURE,
              "\\b(java\\.time\\.Clock|Clock\\s*\\.\\s*system\\w*|currentTimeMillis|nanoTime)\\b"
                  + "|\\b(Instant|\\w*DateTime|LocalDate|LocalTime)\\s*\\.\\s*now\\b"),
          Rule.code(
              "a pure package is given its randomness",
              PURE,
              "\\bnew\\s+(Random|SplittableRandom)\\s*\\(\\s*\\)"
                  + "|\\b(ThreadLocalRandom|SecureRandom|randomUUID)\\b|\\bMath\\s*\\.\\s*random\\b"),
          Rule.code(
              "nothing sleeps",
              "(?!" + String.join("|", MAY_WAIT) + ").*/src/.*",
              "\\bThread\\s*\\.\\s*sleep\\b|\\.\\s*sleep\\s*\\(|\\bpark(Nanos|Until)\\b"),
          // Except for the think time of clients, and for a planted fault that delays.
          Rule.code(
              "a test awaits a condition, not a latch that stays closed",
              "(?!.*/(RetryingClient|PlantedProxyFaults)\\.java).*/src/test/.*",
              "\\bnew\\s+CountDownLatch\\s*\\(\\s*1\\s*\\)\\s*\\.\\s*await\\s*\\(\\s*\\w"),
          Rule.code(
              "waiting stays in one place",
              "(?!"
                  + String.join("|", MAY_WAIT)
                  + ")(ensemble-core|atomic-objects)/src/main/java/.*",
              "\\.\\s*join\\s*\\(\\s*\\)|::\\s*join\\b|\\bawait(Termination|Uninterruptibly|Nanos)?\\s*\\("
                  + "|\\b\\w*([Ff]uture|[Ss]tage|[Pp]romise)\\w*\\s*(\\(\\s*\\)\\s*)?\\.\\s*get\\s*\\("
                  + "|\\.\\s*get\\s*\\((?:[^;()]|\\([^()]*\\))*?\\b(TimeUnit|(NANO|MICRO|MILLI)?SECONDS)\\b"
                  + "|\\.\\s*(wait|invokeAll|invokeAny)\\s*\\(|\\.\\s*take\\s*\\(\\s*\\)"
                  + "|\\b\\w*([Ss]emaphore|[Pp]ermits?)\\s*\\.\\s*acquire\\w*\\s*\\("),
          Rule.code(
              "nothing runs in the common pool",
              ".*/src/main/.*",
              "\\bcommonPool\\b|\\bparallelStream\\b|\\.\\s*parallel\\s*\\(\\s*\\)"),
          Rule.code(
              "no Java serialization",
              ".*/src/main/.*",
              "\\b(Serializable|Externalizable|Object(In|Out)putStream)\\b"),
          Rule.code(
              "only the command line and the benchmarks use the REST service",
              "(?!ensemble-rest/|fuzz/|ensemble-cli/|benchmarks/).*/src/.*",
              "\\bimport\\s+(static\\s+)?io\\.ensemble\\.rest\\b"),
          Rule.text(
              "a page names its subject",
              "(README|CONTRIBUTING|SECURITY)\\.md|docs/[^/]*\\.md|[\\w-]+/README\\.md",
              "(?i)\\b(whoever|whomever|nobody|somebody|one's own|how manieth|passed over|mended)\\b"
                  + "|\\bas it comes\\b|\\bfor good\\b"),
          // The brackets keep these two patterns from matching this file.
          Rule.text("finished, or left out", ".*\\.java", "\\b(TOD[O]|FIXM[E]|XX[X])\\b"),
          Rule.text(
              "the repository stands alone",
              ".*",
              "/wor[k]/|\\.\\./share[d]\\b(?!-tree/)|(?i:\\bissue[s]?\\s*#|\\bissue[s]?\\s+\\d)"));

  private HouseRules() {}

  /** One file, with {@code path} relative to the root of the repository and '/' between names. */
  record Source(String path, String text) {

    boolean isJava() {
      return path.endsWith(".java");
    }

    /** The text without comments and without contents of literals; line numbers are unchanged. */
    String code() {
      return COMMENT_OR_LITERAL.matcher(text).replaceAll(Source::blank);
    }

    private static String blank(MatchResult match) {
      String lines = match.group().replaceAll("[^\n]", "");
      return match.group().startsWith("/") ? " " + lines : "\"\"" + lines;
    }
  }

  private record Rule(String name, Pattern where, Pattern forbidden, boolean codeOnly) {

    static Rule code(String name, String where, String forbidden) {
      return new Rule(name, Pattern.compile(where), Pattern.compile(forbidden), true);
    }

    static Rule text(String name, String where, String forbidden) {
      return new Rule(name, Pattern.compile(where), Pattern.compile(forbidden), false);
    }

    void check(Source source, List<String> violations) {
      if (!where.matcher(source.path()).matches() || (codeOnly && !source.isJava())) {
        return;
      }
      String seen = codeOnly ? source.code() : source.text();
      Matcher matcher = forbidden.matcher(seen);
      while (matcher.find()) {
        long line = 1 + seen.substring(0, matcher.start()).chars().filter(c -> c == '\n').count();
        violations.add("%s:%d: %s: %s".formatted(source.path(), line, name, matcher.group()));
      }
    }
  }

  /** Every breach of a rule in {@code sources}, as {@code path:line: rule: what was found}. */
  static List<String> violations(List<Source> sources) {
    List<String> violations = new ArrayList<>();
    for (Source source : sources) {
      RULES.forEach(rule -> rule.check(source, violations));
    }
    checkPackages(sources, violations);
    checkNames(sources, violations);
    checkSizes(sources, violations);
    checkLongForms(sources, violations);
    return violations;
  }

  /** A package that holds too many files needs a sub-structure that its folders show. */
  private static void checkSizes(List<Source> sources, List<String> violations) {
    Map<String, Integer> sizes = new HashMap<>();
    for (Source source : sources) {
      if (source.isJava() && source.path().contains("/src/main/java/")) {
        String directory = source.path().substring(0, source.path().lastIndexOf('/'));
        sizes.merge(directory, 1, Integer::sum);
      }
    }
    sizes.forEach(
        (directory, files) -> {
          if (files > MOST_FILES && !directory.equals(API)) {
            violations.add(
                "%s: a package has %d files at most: %d".formatted(directory, MOST_FILES, files));
          }
        });
  }

  /** A simple class name that is used twice costs each reader a look at the imports. */
  private static void checkNames(List<Source> sources, List<String> violations) {
    Map<String, String> first = new HashMap<>();
    for (Source source : sources) {
      String name = source.path().replaceAll(".*/|\\.java", "");
      if (source.isJava() && source.path().contains("/src/") && !name.endsWith("-info")) {
        String other = first.putIfAbsent(name, source.path());
        if (other != null) {
          violations.add(source.path() + ": a simple name is used once: " + other);
        }
      }
    }
  }

  /**
   * A test that has a deep form belongs to a part of {@code ./long-tests}, or no run executes it. A
   * part names no other class, such as one that was renamed.
   */
  private static void checkLongForms(List<Source> sources, List<String> violations) {
    String parts =
        sources.stream()
            .filter(source -> source.path().equals("long-tests"))
            .map(Source::text)
            .findFirst()
            .orElse("");
    Set<String> deep = new TreeSet<>();
    for (Source source : sources) {
      boolean isDeep =
          source.isJava()
              && source.path().contains("/src/test/")
              && DEEP_FORM.matcher(source.text()).find();
      String name = source.path().replaceAll(".*/|\\.java", "");
      if (isDeep) {
        deep.add(name);
      }
      if (isDeep && !Pattern.compile("\\b" + name + "\\b").matcher(parts).find()) {
        violations.add(source.path() + ": a part of long-tests names each test with a deep form");
      }
    }
    Matcher named = PART.matcher(parts);
    while (named.find()) {
      for (String name : named.group(1).split(",")) {
        if (!deep.contains(name)) {
          violations.add("long-tests: a part names tests with a deep form only: " + name);
        }
      }
    }
  }

  private static void checkPackages(List<Source> sources, List<String> violations) {
    Predicate<Source> main = source -> source.isJava() && source.path().contains("/src/main/java/");
    Set<String> packages = new TreeSet<>();
    Set<String> explained = new TreeSet<>();
    for (Source source : sources.stream().filter(main).toList()) {
      String directory = source.path().substring(0, source.path().lastIndexOf('/'));
      packages.add(directory);
      boolean info = source.path().endsWith("/package-info.java");
      if (info && source.code().contains("@NullMarked") && source.text().contains("/**")) {
        explained.add(directory);
      }
    }
    // Excludes classes that have to be in a package of a library.
    packages.removeIf(p -> !p.contains("/io/ensemble"));
    packages.removeAll(explained);
    packages.forEach(p -> violations.add(p + ": a package explains itself and is @NullMarked"));
  }

  /** Reads every text file under {@code root} that belongs to the project. */
  static List<Source> sourcesUnder(Path root) throws IOException {
    List<Source> sources = new ArrayList<>();
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
            String name = String.valueOf(directory.getFileName());
            boolean hidden = name.startsWith(".") && !SEEN_HIDDEN_DIRECTORIES.contains(name);
            boolean unseen = hidden || UNSEEN_DIRECTORIES.contains(name);
            return unseen && !directory.equals(root)
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            boolean worktreeLink = file.endsWith(".git");
            if (attributes.isRegularFile()
                && attributes.size() <= LARGEST_TEXT_BYTES
                && !worktreeLink) {
              String text = new String(Files.readAllBytes(file), UTF_8);
              if (text.indexOf('\0') < 0) {
                sources.add(new Source(root.relativize(file).toString().replace('\\', '/'), text));
              }
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return sources;
  }
}
