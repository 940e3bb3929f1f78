/** Reference pages in Markdown, and manual pages, generated from the commands and from OpenAPI. */
@NullMarked
package io.ensemble.cli.reference;

import org.jspecify.annotations.NullMarked;
