/**
 * Auto-configuration for Spring Boot: an {@link io.ensemble.EnsembleCacheManager} from properties
 * {@code ensemble.*}, Spring's cache abstraction over its caches, a health indicator, and metrics
 * in the registry of the application.
 */
@NullMarked
package io.ensemble.spring;

import org.jspecify.annotations.NullMarked;
