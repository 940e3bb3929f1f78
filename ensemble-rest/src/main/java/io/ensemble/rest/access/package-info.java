/**
 * The access file of an operator: {@link io.ensemble.rest.access.AccessFileParser} reads the file,
 * and {@link io.ensemble.rest.access.AccessControl} creates the access filter and the TLS
 * configuration that the file describes. The file contains secrets by reference only.
 */
@NullMarked
package io.ensemble.rest.access;

import org.jspecify.annotations.NullMarked;
