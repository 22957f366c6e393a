import { a } from "package";
