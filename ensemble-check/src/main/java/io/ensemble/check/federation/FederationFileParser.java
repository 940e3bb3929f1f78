package io.ensemble.check.federation;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.JsonOutput;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * Reads the file of a federation. Strict: an unknown name is refused, because a misspelt name of a
 * password would silently leave out the credentials.
 */
final class FederationFileParser {

  private static final ObjectReader STRICT =
      JsonOutput.mapper()
          .reader()
          .with(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private final Path file;

  FederationFileParser(Path file) {
    this.file = file;
  }

  /** Whether {@code up} wrote the file: it names a process. False if the file cannot be parsed. */
  static boolean isOurs(byte[] text) {
    try {
      JsonNode tree = STRICT.readTree(text);
      return tree.path("pid").asLong() != 0;
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * The federation.
   *
   * @param catalog the address of the catalog if the file has none
   * @throws CommandException if the file is invalid; the message has the reason
   */
  FederationDescriptor read(byte[] text, Path catalog) throws IOException {
    try {
      JsonNode tree = STRICT.readTree(text);
      JsonNode version = tree.path("version");
      boolean written = tree.path("pid").asLong() == 0;
      if (!tree.isObject()
          || !(written && version.isMissingNode())
              && version.asInt() != FederationDescriptor.VERSION) {
        throw new CommandException(
            "%s has another format; expected version %d, found %s"
                .formatted(
                    file,
                    FederationDescriptor.VERSION,
                    tree.isObject() ? version : "not an object"));
      }
      if (tree.findValue("password") != null) {
        throw new CommandException(
            file + ": a password must not be in this file; use password_file or password_env");
      }
      FederationDescriptor state = STRICT.forType(FederationDescriptor.class).readValue(tree);
      return written ? withResolvedPaths(state, catalog) : state;
    } catch (UnrecognizedPropertyException e) {
      throw new CommandException(
          "%s: unknown name '%s'; expected %s"
              .formatted(file, e.getPropertyName(), knownNames(e.getKnownPropertyIds())),
          e);
    } catch (JsonProcessingException e) {
      throw new CommandException(
          "%s does not describe a federation: %s".formatted(file, reason(e)), e);
    }
  }

  /** The message of Ensemble's own records, without the text that Jackson adds. */
  private static @Nullable String reason(JsonProcessingException failure) {
    if (failure instanceof JsonParseException) {
      JsonLocation at = failure.getLocation();
      return "it is not JSON; line=%d column=%d".formatted(at.getLineNr(), at.getColumnNr());
    }
    Throwable cause = failure.getCause();
    while (cause instanceof JsonProcessingException && cause.getCause() != cause) {
      cause = cause.getCause();
    }
    return cause instanceof IllegalArgumentException
        ? cause.getMessage()
        : failure.getOriginalMessage();
  }

  /** Resolves names of files relative to the directory of this file. */
  private FederationDescriptor withResolvedPaths(FederationDescriptor state, Path catalog) {
    Path directory = file.resolveSibling("");
    return new FederationDescriptor(
        FederationDescriptor.VERSION,
        0,
        null,
        state.sites().stream().map(site -> site.beside(directory)).toList(),
        state.catalog() == null ? catalog.toString() : resolve(directory, state.catalog()));
  }

  /** An address with a scheme is not a file; an unknown scheme is refused when it is used. */
  private static String resolve(Path directory, String catalog) {
    return catalog.contains("://") ? catalog : directory.resolve(catalog).toString();
  }

  private static String knownNames(Collection<Object> names) {
    return String.join(", ", names.stream().map(String::valueOf).toList());
  }
}
