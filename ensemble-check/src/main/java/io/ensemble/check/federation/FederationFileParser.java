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
 * Reads what a federation's file holds. Strictly: a name that is not known is refused, for a
 * password that nobody reads would leave a site open to be asked by nobody in particular.
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

  /** Whether it is what {@code up} writes, or tried to write: it names a process, or nothing. */
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
   * @param catalog where caches are defined if it does not say
   * @throws CommandException naming what is wrong
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
            "%s has another form; wanted version %d, found %s"
                .formatted(
                    file, FederationDescriptor.VERSION, tree.isObject() ? version : "no object"));
      }
      if (tree.findValue("password") != null) {
        throw new CommandException(
            file + ": a password does not stand in this file; password_file or password_env does");
      }
      FederationDescriptor state = STRICT.forType(FederationDescriptor.class).readValue(tree);
      return written ? completed(state, catalog) : state;
    } catch (UnrecognizedPropertyException e) {
      throw new CommandException(
          "%s: unknown name '%s'; wanted %s"
              .formatted(file, e.getPropertyName(), known(e.getKnownPropertyIds())),
          e);
    } catch (JsonProcessingException e) {
      throw new CommandException(
          "%s does not describe a federation: %s".formatted(file, why(e)), e);
    }
  }

  /** What our own records complain of, without what Jackson says around it. */
  private static @Nullable String why(JsonProcessingException failure) {
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

  /** Names of files are relative to the file that they stand in. */
  private FederationDescriptor completed(FederationDescriptor state, Path catalog) {
    Path directory = file.resolveSibling("");
    return new FederationDescriptor(
        FederationDescriptor.VERSION,
        0,
        null,
        state.sites().stream().map(site -> site.beside(directory)).toList(),
        state.catalog() == null ? catalog.toString() : beside(directory, state.catalog()));
  }

  /** An address of whatever scheme is no file; one that is none of ours is refused when used. */
  private static String beside(Path directory, String catalog) {
    return catalog.contains("://") ? catalog : directory.resolve(catalog).toString();
  }

  private static String known(Collection<Object> names) {
    return String.join(", ", names.stream().map(String::valueOf).toList());
  }
}
