/** An application of Spring Boot whose methods are cached in Ensemble. */
package com.example.prices;
