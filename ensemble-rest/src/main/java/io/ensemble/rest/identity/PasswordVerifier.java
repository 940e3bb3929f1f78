package io.ensemble.rest.identity;

import io.ensemble.rest.http.ConcurrencyLimit;
import io.ensemble.rest.policy.CallerIdentity;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Verifies users and their passwords. A check takes long by design, so two threads of this object
 * run the checks, with a bounded queue. A correct password is cached under a key of this process
 * until the user's hash changes, so that repeated requests do not wait. Thread-safe.
 */
public final class PasswordVerifier implements AutoCloseable {

  private static final int THREADS = 2;
  private static final int WAITING = 64;
  private static final int REMEMBERED = 1_000;

  /** The maximum number of checks of one address that run or wait. */
  private static final int MAX_PER_ADDRESS = 32;

  private static final String MAC = "HmacSHA256";
  private static final String NOT_ACCEPTED = "the user name or the password is wrong";

  private final Supplier<Map<String, PasswordHash>> users;
  private final PasswordHash.Derivation derivation;
  private final SecretKeySpec macKey;
  private final ThreadPoolExecutor pool; // Its queue bounds the checks of all addresses.
  private final ConcurrencyLimit waitingLimit =
      new ConcurrencyLimit("checks of passwords", MAX_PER_ADDRESS, Integer.MAX_VALUE);

  private final Map<String, PasswordHash> verifiedHashes =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, PasswordHash> eldest) {
          return size() > REMEMBERED;
        }
      };

  /**
   * @param users asked for each request
   */
  public PasswordVerifier(Supplier<Map<String, PasswordHash>> users, SecureRandom random) {
    this(users, random, PasswordHash::deriveHash);
  }

  PasswordVerifier(
      Supplier<Map<String, PasswordHash>> users,
      SecureRandom random,
      PasswordHash.Derivation derivation) {
    this.users = users;
    this.derivation = derivation;
    byte[] bytes = new byte[32];
    random.nextBytes(bytes);
    macKey = new SecretKeySpec(bytes, MAC);
    pool =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            30,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(WAITING),
            task -> {
              Thread thread = new Thread(task, "ensemble-rest-passwords");
              thread.setDaemon(true);
              return thread;
            });
    pool.allowCoreThreadTimeOut(true);
  }

  /**
   * Reads the users of a file: {@code NAME:HASH} in each line, {@code #} before a comment.
   *
   * @throws IllegalArgumentException if a line is invalid; the message has the line's number, not
   *     its text
   */
  public static Map<String, PasswordHash> parseUsers(byte[] content) {
    Map<String, PasswordHash> users = new HashMap<>();
    String[] lines = new String(content, StandardCharsets.UTF_8).split("\r?\n", -1);
    for (int i = 0; i < lines.length; i++) {
      String line = lines[i].strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      int colon = line.indexOf(':');
      try {
        if (colon < 1
            || users.put(line.substring(0, colon), PasswordHash.parse(line.substring(colon + 1)))
                != null) {
          throw new IllegalArgumentException("expected NAME:HASH, with unique names");
        }
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException("line %d: %s".formatted(i + 1, e.getMessage()), e);
      }
    }
    return Map.copyOf(users);
  }

  /**
   * The identity of the user. For a wrong password or an unknown user, the stage fails with {@link
   * AuthenticationFailedException}. Both cases take the same time, with the rounds of the slowest
   * hash in the file. If too many requests wait, the method immediately fails with {@link
   * java.util.concurrent.RejectedExecutionException}, or with a problem if too many are of one
   * address.
   *
   * @param credentials the text after {@code Basic}
   * @param address the address of the client
   */
  CompletionStage<CallerIdentity> identify(String credentials, String address) {
    String text;
    try {
      text = new String(Base64.getDecoder().decode(credentials), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new AuthenticationFailedException(NOT_ACCEPTED);
    }
    int colon = text.indexOf(':');
    if (colon < 1) {
      throw new AuthenticationFailedException(NOT_ACCEPTED);
    }
    String name = text.substring(0, colon);
    Map<String, PasswordHash> hashByUser = users.get();
    @Nullable PasswordHash hash = hashByUser.get(name);
    String credentialsMac = computeMac(text);
    if (hash != null && Objects.equals(hash, findVerified(credentialsMac))) {
      return CompletableFuture.completedFuture(CallerIdentity.of("user", name));
    }
    int maxRounds =
        hashByUser.values().stream()
            .mapToInt(PasswordHash::rounds)
            .max()
            .orElse(PasswordHash.ROUNDS);
    char[] password = text.substring(colon + 1).toCharArray();
    Supplier<CallerIdentity> check =
        () -> {
          boolean isCorrect = hash != null && hash.isHashOf(password, derivation);
          if (hash == null || !isCorrect) {
            int missingRounds = maxRounds - (hash == null ? 0 : hash.rounds());
            PasswordHash.simulateCheck(password, missingRounds, derivation);
            throw new AuthenticationFailedException(NOT_ACCEPTED, name);
          }
          recordVerified(credentialsMac, hash);
          return CallerIdentity.of("user", name);
        };
    waitingLimit.begin(address);
    try {
      return CompletableFuture.supplyAsync(check, pool)
          .whenComplete((identity, failure) -> waitingLimit.end(address));
    } catch (RuntimeException busy) {
      waitingLimit.end(address);
      throw busy;
    }
  }

  private String computeMac(String text) {
    try {
      Mac mac = Mac.getInstance(MAC);
      mac.init(macKey);
      return Base64.getEncoder().encodeToString(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new AssertionError("every JDK has " + MAC, e);
    }
  }

  private @Nullable PasswordHash findVerified(String credentialsMac) {
    synchronized (verifiedHashes) {
      return verifiedHashes.get(credentialsMac);
    }
  }

  private void recordVerified(String credentialsMac, PasswordHash hash) {
    synchronized (verifiedHashes) {
      verifiedHashes.put(credentialsMac, hash);
    }
  }

  @Override
  public void close() {
    pool.shutdownNow();
  }
}
